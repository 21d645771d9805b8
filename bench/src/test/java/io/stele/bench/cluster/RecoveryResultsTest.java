package io.stele.bench.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.bench.Peer;
import io.stele.bench.report.Result;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RecoveryResultsTest {
  private static Outage outage(double written, double readable) {
    return new Outage(written / 2, written, written, readable, readable + 1, 1_000_000);
  }

  private static List<Result> results(Map<String, Map<Integer, List<Outage>>> outages) {
    MemorySides sides =
        new MemorySides(
            new Peer.Absent<>("HBase, session 90 s", "it is not here"),
            MemorySides.present("Theirs", 0));
    return new RecoveryResults(sides.stele(), sides.asItComes(), sides.alike(), outages)
        .results(List.of(0, 64));
  }

  private static Result named(List<Result> results, String name) {
    return results.stream().filter(each -> each.name().equals(name)).findFirst().orElseThrow();
  }

  @Test
  void mediansStandBesideThePeersAndTheSlowestAgainstTheGoal() {
    List<Result> results =
        results(
            Map.of(
                "Ours",
                Map.of(
                    0, List.of(outage(4, 5), outage(6, 6), outage(5, 9)),
                    64, List.of(outage(7, 9), outage(7, 12), outage(9.5, 12))),
                "Theirs",
                Map.of(0, List.of(outage(10, 20)), 64, List.of(outage(20, 80)))));

    Result read = named(results, "recovery-0-read-5s");
    assertThat(read.stele()).isEqualTo(6);
    assertThat(read.peer()).isEqualTo(20);
    assertThat(read.ratio()).isCloseTo(20 / 6.0, within());
    assertThat(read.note()).contains("Ours: p50 6.00 s, p99 9.00 s of 3", "1 MB of logs");
    assertThat(named(results, "recovery-0-read").peer()).isNull();
    assertThat(named(results, "recovery-0-read").note())
        .contains("HBase, session 90 s is absent: it is not here");

    assertThat(named(results, "recovery-p99-write").stele()).isEqualTo(9.5);
    assertThat(named(results, "recovery-p99-write").met()).hasValue(true);
    assertThat(named(results, "recovery-p99-read").met()).as("12 s").hasValue(false);

    assertThat(named(results, "recovery-growth-write").stele()).isCloseTo(7 / 5.0, within());
    assertThat(named(results, "recovery-growth-write").met()).hasValue(true);
    assertThat(named(results, "recovery-growth-read").stele()).isEqualTo(2);
    assertThat(named(results, "recovery-growth-read").peer()).isEqualTo(4);
    assertThat(named(results, "recovery-growth-read").met()).hasValue(false);
  }

  @Test
  void sizesThatFailedAreLeftOut() {
    List<Result> results = results(Map.of("Ours", Map.of(0, List.of(outage(4, 5)))));
    assertThat(results)
        .extracting(Result::name)
        .contains("recovery-0-write", "recovery-p99-read")
        .noneMatch(name -> name.contains("64") || name.contains("growth"));
    assertThat(results(Map.of())).isEmpty();
  }

  private static org.assertj.core.data.Offset<Double> within() {
    return org.assertj.core.data.Offset.offset(1e-9);
  }
}
