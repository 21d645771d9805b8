package io.stele.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.bench.measure.Better;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ReportTest {

  private static final Result GETS =
      Result.beside(
          "get-100B",
          "gets/s",
          Better.HIGHER,
          361_499.7,
          Optional.of(241_000.2),
          "RocksDB 1.2",
          1.0,
          "a \"note\"");

  private static final Result OPEN =
      Result.beside(
          "open", "ms", Better.LOWER, 12.3456, Optional.empty(), "RocksDB (absent)", 1.0, "");

  private static Report report(Result... results) {
    return new Report(Optional.empty(), Map.of(), "ROCKSDB", List.of(results), List.of());
  }

  @Test
  void theFirstLineSaysThatItMustNotBeRecordedAndTheLastWhatFailed() {
    Report report =
        new Report(
            Optional.of("NOT FIT"),
            Map.of("disk", "ext4"),
            "ETCD",
            List.of(GETS),
            List.of("FAILED"));
    assertThat(report.toText()).startsWith("NOT FIT\n\ndisk        ext4\n\nCASE ");
    assertThat(report.toText()).endsWith("FAILED\n");
    assertThat(report(GETS).toText()).startsWith("\nCASE");
  }

  @Test
  void jsonHasTheAgreedFieldsInOrder() {
    assertThat(report(GETS).toJson())
        .isEqualTo(
            """
            [
              {
                "case": "get-100B",
                "unit": "gets/s",
                "stele": 361500,
                "peer": 241000,
                "peerName": "RocksDB 1.2",
                "ratio": 1.5,
                "goal": 1.0,
                "met": true,
                "note": "a \\"note\\""
              }
            ]\
            """);
  }

  @Test
  void jsonHasNullForWhatAnAbsentPeerLeavesOpen() {
    assertThat(report(OPEN).toJson())
        .contains("\"stele\": 12.346,")
        .contains("\"peer\": null,")
        .contains("\"peerName\": \"RocksDB (absent)\",")
        .contains("\"ratio\": null,")
        .contains("\"met\": null,");
  }

  @Test
  void theTableNamesAnAbsentPeer() {
    assertThat(report(GETS, OPEN).toTable())
        .isEqualTo(
            """
            CASE      UNIT      STELE  ROCKSDB  RATIO   GOAL  MET  NOTE
            get-100B  gets/s  361,500  241,000  1.500  1.000  yes  a "note"
            open      ms        12.35  absent       -  1.000  -
            """);
  }
}
