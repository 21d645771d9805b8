package io.stele.gateway.bigtable.data;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.bigtable.v2.BigtableGrpc.BigtableBlockingStub;
import com.google.bigtable.v2.RowFilter.FilterCase;
import io.grpc.StatusRuntimeException;
import io.stele.gateway.bigtable.data.RandomRequests.Request;
import java.util.EnumSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Random requests, put to this service and to Google's emulator: the answers are equal. What the
 * emulator gets wrong is left out; {@link EmulatorMistakesTest} has it one by one.
 */
class EmulatorComparisonTest {
  private static final Set<FilterCase> LEFT_OUT =
      EnumSet.of(
          FilterCase.SINK,
          FilterCase.VALUE_BITMASK_FILTER,
          FilterCase.APPLY_LABEL_TRANSFORMER, // which a stripped cell loses
          FilterCase.CELLS_PER_ROW_LIMIT_FILTER,
          FilterCase.CELLS_PER_ROW_OFFSET_FILTER);

  @Test
  void answersAreEqual() {
    try (Emulator emulator = Emulator.start("a", "b", "c");
        DataFixture fixture = new DataFixture("a", "b", "c")) {
      int seed = 1;
      RandomRequests requests = new RandomRequests(new Random(seed), LEFT_OUT);
      for (Request request : requests.first()) {
        compare(request, fixture, emulator, "at first");
      }
      for (int i = 0; i < 400; i++) {
        compare(requests.next(), fixture, emulator, "seed " + seed + ", request " + i);
      }
    }
  }

  private static void compare(
      Request request, DataFixture fixture, Emulator emulator, String which) {
    assertThat(answer(request, fixture.stub))
        .as("%s: %s", which, request)
        .isEqualTo(answer(request, emulator.stub));
  }

  /** An answer in words; for a mistake in a mutation the emulator has no codes to compare. */
  static String answer(Request request, BigtableBlockingStub server) {
    try {
      return request.ask(server);
    } catch (StatusRuntimeException e) {
      return "refused";
    }
  }
}
