package io.stele.gateway.http;

import io.stele.base.dataset.DatasetStatus;
import io.stele.base.dataset.LoadProgress;
import io.stele.base.dataset.NodeVersion;
import io.stele.base.dataset.VersionStatus;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The status of datasets as one page that needs nothing else: no script, no other file. */
final class StatusPage {
  private static final String HEAD =
      """
      <!DOCTYPE html>
      <html lang="en"><head><meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>%s</title>
      <style>
      body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; \
      padding: 0 1rem; color: #222; background: #fff }
      h1 { font-size: 1.4rem } h2 { font-size: 1.15rem; margin: 2rem 0 .3rem }
      h3 { font-size: 1rem; margin: 1.1rem 0 .3rem }
      table { border-collapse: collapse; width: 100%% }
      th, td { text-align: left; padding: .25rem .8rem .25rem 0; border-bottom: 1px solid #ddd; \
      vertical-align: top }
      th { font-weight: 600; color: #555 } .quiet { color: #666 } .bad { color: #a40000 }
      code { font-family: ui-monospace, monospace }
      </style></head><body>
      """;

  private final StringBuilder page = new StringBuilder(4096);

  private StatusPage() {}

  /** A page of all datasets, as a node answers. */
  static String of(String node, List<DatasetStatus> datasets) {
    StatusPage made = new StatusPage();
    made.page.append(HEAD.formatted("Datasets"));
    made.page.append("<h1>Datasets</h1>\n<p class=\"quiet\">Answered by ");
    made.code(node).append("</p>\n");
    if (datasets.isEmpty()) {
      made.page.append("<p>There are none.</p>\n");
    }
    datasets.forEach(dataset -> made.dataset(dataset, true));
    return made.page.append("</body></html>\n").toString();
  }

  /** A page of one dataset. */
  static String of(String node, DatasetStatus dataset) {
    StatusPage made = new StatusPage();
    made.page.append(HEAD.formatted(escape(dataset.dataset())));
    made.page.append("<p class=\"quiet\"><a href=\"/\">All datasets</a>, answered by ");
    made.code(node).append("</p>\n");
    made.dataset(dataset, false);
    return made.page.append("</body></html>\n").toString();
  }

  private void dataset(DatasetStatus dataset, boolean linked) {
    String name = escape(dataset.dataset());
    page.append("<h2>")
        .append(linked ? "<a href=\"/" + name + "\">" + name + "</a>" : name)
        .append("</h2>\n");
    if (!dataset.problem().isEmpty()) {
      page.append("<p class=\"bad\">").append(escape(dataset.problem())).append("</p>\n");
    }
    page.append("<p>");
    if (dataset.serving().isEmpty()) {
      page.append("No version is served yet");
    } else {
      page.append("Serves version ");
      code(dataset.serving());
    }
    if (!dataset.pinned().isEmpty()) {
      page.append(", pinned to ");
      code(dataset.pinned());
    }
    page.append("</p>\n");
    dataset.versions().reversed().forEach(this::version);
  }

  private void version(VersionStatus version) {
    page.append("<h3>Version ");
    code(version.version()).append("</h3>\n<p class=\"quiet\">");
    code(version.path()).append(": ");
    if (version.shards() == 0) {
      page.append("not loaded"); // its shards are known when it is
    } else {
      shards(version);
    }
    page.append("</p>\n");
    if (version.nodes().isEmpty()) {
      return;
    }
    page.append("<table><tr><th>Node</th><th>State</th><th>Shards</th><th>Loading</th>")
        .append("<th>Begun</th><th>Served from</th></tr>\n");
    version.nodes().forEach(this::node);
    page.append("</table>\n");
  }

  private void shards(VersionStatus version) {
    page.append(version.shards()).append(version.shards() == 1 ? " shard" : " shards");
    page.append(
        String.format(
            Locale.ROOT,
            ", %.2f of %d nodes each (%s)",
            version.averageReplication(),
            version.replication(),
            histogram(version)));
    wrong(version.missing(), "missing");
    wrong(version.underReplicated() - version.missing(), "with too few nodes");
    wrong(version.overReplicated(), "with more nodes than asked for");
  }

  private static String histogram(VersionStatus version) {
    return version.histogram().isEmpty()
        ? "none loaded"
        : new TreeMap<>(version.histogram())
            .descendingMap().entrySet().stream()
                .map(entry -> entry.getKey() + "×: " + entry.getValue())
                .collect(Collectors.joining(", "));
  }

  private void wrong(int shards, String how) {
    if (shards > 0) {
      page.append(", <span class=\"bad\">").append(shards).append(' ').append(how);
      page.append("</span>");
    }
  }

  private void node(NodeVersion node) {
    page.append("<tr><td>");
    code(node.node()).append("</td><td>").append(node.state().name());
    if (node.serving()) {
      page.append(", served");
    }
    if (!node.reason().isEmpty()) {
      page.append("<br><span class=\"bad\">").append(escape(node.reason())).append("</span>");
    }
    page.append("</td><td>").append(shards(node.shards()));
    page.append("</td><td>").append(progress(node.progress()));
    page.append("</td><td>").append(time(node.createdMicros()));
    page.append("</td><td>").append(time(node.activeMicros())).append("</td></tr>\n");
  }

  /** Nothing of what has not happened. */
  private static String time(long micros) {
    return micros == 0 ? "" : StatusJson.time(micros);
  }

  /** {@code 0-3, 7}: of hundreds of shards a list could not be read. */
  static String shards(List<Integer> shards) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < shards.size(); ) {
      int from = i;
      while (i + 1 < shards.size() && shards.get(i + 1) == shards.get(i) + 1) {
        i++;
      }
      text.append(text.isEmpty() ? "" : ", ").append(shards.get(from));
      if (i > from) {
        text.append('-').append(shards.get(i));
      }
      i++;
    }
    return text.toString();
  }

  private static String progress(LoadProgress progress) {
    if (progress.shardsAssigned() == 0) {
      return "";
    }
    String shards = progress.shardsDone() + " of " + progress.shardsAssigned() + " shards";
    if (progress.shardsDone() == progress.shardsAssigned() || progress.totalBytes() == 0) {
      return shards;
    }
    return String.format(
        Locale.ROOT,
        "%s, %d %% read, %,d records",
        shards,
        100 * progress.bytes() / progress.totalBytes(),
        progress.records());
  }

  private StringBuilder code(String text) {
    return page.append("<code>").append(escape(text)).append("</code>");
  }

  static String escape(String text) {
    StringBuilder escaped = new StringBuilder(text.length() + 16);
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '&' -> escaped.append("&amp;");
        case '<' -> escaped.append("&lt;");
        case '>' -> escaped.append("&gt;");
        case '"' -> escaped.append("&quot;");
        case '\'' -> escaped.append("&#39;");
        default -> escaped.append(c);
      }
    }
    return escaped.toString();
  }
}
