package io.stele.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.schema.TableSchema;
import io.stele.client.Stele;
import io.stele.server.metrics.Metric;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class MetricsPageTest {
  private static final Pattern TYPE = Pattern.compile("(?m)^# TYPE (\\S+) (\\S+)$");
  private static final Pattern SAMPLE =
      Pattern.compile("(?m)^([a-z0-9_]+)(?:\\{([^}]*)})? ([-0-9.E+a-zA-Z]+)$");

  @TempDir static Path folder;

  private static TestServer server;

  @BeforeAll
  static void start() throws IOException {
    server = TestServer.start(folder, "etcd.port=0", "bigtable.port=0");
    try (Stele stele = Stele.connect(server.address())) {
      stele.tables().create("metered", TableSchema.ofFamilies("f"), List.of());
      for (int i = 0; i < 10; i++) {
        stele.table("metered").put("row" + i, "f", "q", "value");
        stele.table("metered").get("row" + i);
      }
      stele.tables().flush("metered");
      stele.metastore().put("/metered", "value");
    }
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static HttpResponse<String> metrics(String accept)
      throws IOException, InterruptedException {
    URI page = URI.create("http://" + server.server().addresses().adminAddress() + "/metrics");
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(
          HttpRequest.newBuilder(page).header("Accept", accept).build(),
          HttpResponse.BodyHandlers.ofString());
    }
  }

  /** Of each sample, with its labels, the value. */
  private static Map<String, Double> samples() throws IOException, InterruptedException {
    Map<String, Double> samples = new HashMap<>();
    Matcher matcher = SAMPLE.matcher(metrics("text/plain").body());
    while (matcher.find()) {
      String labels = matcher.group(2) == null ? "" : "{" + matcher.group(2) + "}";
      samples.put(matcher.group(1) + labels, Double.parseDouble(matcher.group(3)));
    }
    return samples;
  }

  private static double sum(Map<String, Double> samples, String name, String... labels) {
    return samples.entrySet().stream()
        .filter(sample -> sample.getKey().replaceAll("\\{.*", "").equals(name))
        .filter(sample -> Arrays.stream(labels).allMatch(sample.getKey()::contains))
        .mapToDouble(Map.Entry::getValue)
        .sum();
  }

  @Test
  void everyMetricThatIsShownIsDocumentedWithItsType() throws Exception {
    Map<String, String> known = new TreeMap<>();
    for (Metric metric : Metric.values()) {
      known.put(metric.key(), metric.type().name().toLowerCase());
    }
    Matcher matcher = TYPE.matcher(metrics("text/plain").body());
    Map<String, String> shown = new TreeMap<>();
    while (matcher.find()) {
      shown.put(matcher.group(1), matcher.group(2));
    }

    assertThat(known).containsAllEntriesOf(shown);
    assertThat(shown.keySet())
        .contains(
            "stele_info",
            "stele_request_duration_seconds",
            "stele_commit_log_sync_duration_seconds",
            "stele_raft_term",
            "stele_replicas",
            "stele_datasets",
            "stele_jvm_memory_used_bytes",
            "stele_disk_free_bytes");
  }

  @Test
  void requestsAreCountedByInterfaceKindTableAndOutcome() throws Exception {
    Map<String, Double> samples = samples();

    assertThat(
            sum(
                samples,
                "stele_requests_total",
                "api=\"rows\"",
                "kind=\"read\"",
                "table=\"metered\"",
                "outcome=\"ok\""))
        .isEqualTo(10);
    assertThat(
            sum(
                samples,
                "stele_request_duration_seconds_count",
                "api=\"rows\"",
                "table=\"metered\"",
                "kind=\"apply\""))
        .isEqualTo(10);
    assertThat(
            sum(samples, "stele_requests_total", "kind=\"TableAdmin/FlushTable\"", "\"metered\""))
        .isEqualTo(1);
    assertThat(sum(samples, "stele_request_sent_bytes_total", "table=\"metered\""))
        .isGreaterThan(10 * "value".length());
  }

  @Test
  void servicesShowWhatTheyDidAndHave() throws Exception {
    Map<String, Double> samples = samples();

    assertThat(sum(samples, "stele_tablets", "state=\"active\"")).isGreaterThanOrEqualTo(3);
    assertThat(sum(samples, "stele_flushes_total")).isPositive();
    assertThat(sum(samples, "stele_commit_log_records_total", "service=\"tables\""))
        .isGreaterThanOrEqualTo(10);
    assertThat(sum(samples, "stele_commit_log_sync_duration_seconds_count", "\"tables\""))
        .isPositive();
    assertThat(sum(samples, "stele_raft_is_leader")).isEqualTo(1);
    assertThat(sum(samples, "stele_raft_applied_index")).isPositive();
    assertThat(sum(samples, "stele_ready")).isEqualTo(1);
    assertThat(sum(samples, "stele_scrape_errors_total")).isZero();
    assertThat(sum(samples, "stele_events_total", "level=\"info\"")).isPositive();
  }

  @Test
  void openMetricsIsShownToThoseWhoAccept() throws Exception {
    HttpResponse<String> answer = metrics("application/openmetrics-text; version=1.0.0");

    assertThat(answer.headers().firstValue("Content-Type").orElseThrow())
        .startsWith("application/openmetrics-text");
    assertThat(answer.body()).endsWith("# EOF\n");
    assertThat(metrics("*/*").headers().firstValue("Content-Type").orElseThrow())
        .startsWith("text/plain");
  }
}
