package io.stele.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names of metrics are the same in the code, its document, the board and the alerts. */
class MetricTest {
  private static final Path TREE = Path.of("..");
  private static final Path DOCUMENT = TREE.resolve("docs/metrics.md");
  private static final Pattern NAME = Pattern.compile("\\bstele_[a-z0-9_]+");

  /** As queries name them: of a distribution its parts. */
  private static Set<String> series() {
    return Arrays.stream(Metric.values())
        .flatMap(
            metric ->
                switch (metric.type()) {
                  case COUNTER, GAUGE -> Stream.of(metric.key());
                  case HISTOGRAM ->
                      Stream.of("_bucket", "_sum", "_count").map(part -> metric.key() + part);
                  case SUMMARY -> Stream.of("_sum", "_count").map(part -> metric.key() + part);
                })
        .collect(Collectors.toSet());
  }

  @Test
  void theDocumentIsWhatTheCodeSays() throws IOException {
    if (Boolean.getBoolean("golden.write")) {
      Files.writeString(DOCUMENT, Metric.document());
    }
    assertThat(Files.readString(DOCUMENT))
        .as("docs/metrics.md; -Dgolden.write=true writes it")
        .isEqualTo(Metric.document());
  }

  @Test
  void namesFollowTheRules() {
    for (Metric metric : Metric.values()) {
      assertThat(metric.key()).matches("stele_[a-z0-9_]+").doesNotContain("__");
      assertThat(metric.key().endsWith("_total"))
          .as("%s ends in _total as a counter", metric)
          .isEqualTo(metric.type() == Metric.Type.COUNTER);
      assertThat(metric.help()).as("%s has help", metric).endsWith(".");
    }
    assertThat(Arrays.stream(Metric.values()).map(Metric::key)).doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @ValueSource(strings = {"grafana-stele.json", "prometheus-alerts.yaml"})
  void whatTheBoardAndTheAlertsNameExists(String file) throws IOException {
    String text = Files.readString(TREE.resolve("deploy/monitoring").resolve(file));
    Set<String> named = new TreeSet<>();
    Matcher matcher = NAME.matcher(text);
    while (matcher.find()) {
      named.add(matcher.group());
    }

    assertThat(named).hasSizeGreaterThan(20).isSubsetOf(series());
  }
}
