package io.stele.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.stele.bench.measure.Better;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ResultTest {

  private static Result beside(Better better, double stele, double peer) {
    return Result.beside("case", "unit", better, stele, Optional.of(peer), "RocksDB", 1.0, "note");
  }

  @Test
  void aHigherRateIsBetter() {
    assertThat(beside(Better.HIGHER, 300, 200).ratio()).isEqualTo(1.5);
    assertThat(beside(Better.HIGHER, 300, 200).met()).contains(true);
    assertThat(beside(Better.HIGHER, 100, 200).ratio()).isEqualTo(0.5);
    assertThat(beside(Better.HIGHER, 100, 200).met()).contains(false);
  }

  @Test
  void aLowerTimeIsBetter() {
    assertThat(beside(Better.LOWER, 4, 34).ratio()).isEqualTo(8.5);
    assertThat(beside(Better.LOWER, 4, 34).met()).contains(true);
    assertThat(beside(Better.LOWER, 34, 17).ratio()).isEqualTo(0.5);
    assertThat(beside(Better.LOWER, 34, 17).met()).contains(false);
  }

  @Test
  void equalFiguresMeetTheGoal() {
    assertThat(beside(Better.HIGHER, 7, 7).met()).contains(true);
    assertThat(beside(Better.LOWER, 7, 7).met()).contains(true);
  }

  @Test
  void whatIsShownAsTheGoalMeetsIt() {
    assertThat(beside(Better.HIGHER, 9_996, 10_000).met()).contains(true); // shown as 1.0
    assertThat(beside(Better.HIGHER, 9_994, 10_000).met()).contains(false); // as 0.999
  }

  @Test
  void growthIsHeldAgainstItselfAndNotAgainstThePeer() {
    Result grown = Result.growth("g", "cost", 1.25, Optional.of(9.0), "RocksDB", 1.3, "");
    assertThat(grown.ratio()).isCloseTo(0.8, within(1e-9));
    assertThat(grown.goal()).isCloseTo(0.769, within(1e-3));
    assertThat(grown.met()).contains(true);

    Result tooMuch = Result.growth("g", "cost", 1.31, Optional.of(9.0), "RocksDB", 1.3, "");
    assertThat(tooMuch.met()).contains(false);

    Result alone = Result.growth("g", "cost", 1.1, Optional.empty(), "RocksDB (absent)", 1.3, "");
    assertThat(alone.met()).contains(true);
  }

  @Test
  void withoutThePeerNothingIsClaimed() {
    Result alone =
        Result.beside(
            "case", "unit", Better.HIGHER, 300, Optional.empty(), "RocksDB (absent)", 1.0, "");
    assertThat(alone.peer()).isNull();
    assertThat(alone.ratio()).isNull();
    assertThat(alone.met()).isEmpty();
  }

  @Test
  void withoutAGoalTheRatioIsToldAndNothingMet() {
    Result told =
        Result.beside("memory", "bytes", Better.LOWER, 50, Optional.of(200.0), "etcd", null, "");
    assertThat(told.ratio()).isEqualTo(4.0);
    assertThat(told.goal()).isNull();
    assertThat(told.met()).isEmpty();
    Report report = new Report(Optional.empty(), Map.of(), "ETCD", List.of(told), List.of());
    assertThat(report.toJson())
        .containsPattern("\"goal\": ?null")
        .containsPattern("\"met\": ?null");
    assertThat(report.toTable()).containsPattern("4\\.000 +- +-");
  }
}
