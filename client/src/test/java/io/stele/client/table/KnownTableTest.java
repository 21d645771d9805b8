package io.stele.client.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.table.TabletLocation;
import io.stele.client.table.KnownTable.Waiter;
import io.stele.client.table.TabletLocations.Place;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class KnownTableTest {
  private static final Bytes ROW = Bytes.utf8("row");
  private static final TabletLocation WHOLE =
      new TabletLocation(Bytes.EMPTY, Optional.empty(), "127.0.0.1:1");

  private final KnownTable known = new KnownTable();

  private static Waiter waiter(boolean afresh) {
    return new Waiter(ROW, afresh, new CompletableFuture<>());
  }

  private void tellWhereItIs() {
    known.answer(ROW, List.of(WHOLE), List.of(new Place(WHOLE, null)));
  }

  @Test
  void oneAsksAndAllAreTold() {
    Waiter first = waiter(false);
    Waiter second = waiter(false);
    assertThat(known.join(first)).isTrue();
    assertThat(known.join(second)).isFalse();
    tellWhereItIs();
    assertThat(first.answer()).isCompletedWithValue(List.of(WHOLE));
    assertThat(second.answer()).isCompletedWithValue(List.of(WHOLE));
  }

  @Test
  void whoLookedJustBeforeTheAnswerCameIsNotSentToAsk() {
    known.join(waiter(false));
    assertThat(known.find(ROW.sharedArray(), 0, ROW.length())).isNull(); // looks
    tellWhereItIs();
    Waiter late = waiter(false);
    assertThat(known.join(late)).isFalse(); // those behind it find the place, and must not pass it
    assertThat(late.answer()).isCompletedWithValue(List.of(WHOLE));
  }

  @Test
  void whoWantsAFreshAnswerAsks() {
    known.join(waiter(false));
    tellWhereItIs();
    Waiter afresh = waiter(true);
    assertThat(known.join(afresh)).isTrue();
    assertThat(afresh.answer()).isNotDone();
  }
}
