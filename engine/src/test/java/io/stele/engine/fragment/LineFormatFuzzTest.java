package io.stele.engine.fragment;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.CellBatchBuilder;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.time.RandomSource;
import io.stele.testkit.run.LongRun;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Batches from people who mean no good: any random or mutated input gives a batch that obeys the
 * rules, or the declared error, and is judged by its own bytes alone.
 */
class LineFormatFuzzTest {
  private static final int INPUTS = 60_000;

  /** The cells of a batch, or why it is none. */
  private record Verdict(List<Cell> cells, String refusal) {}

  private RandomGenerator random = RandomSource.seeded(20_260_101);
  private final List<byte[]> valid = new ArrayList<>();
  private int accepted;

  @Test
  @Timeout(120)
  void anyInputIsAcceptedOrRefusedAndNothingElse() {
    for (int i = 0; i < 500; i++) {
      valid.add(batch(new RandomCells(i, i % 2 == 0)));
    }
    // On a thread whose short stack makes a million exceptions cheap.
    CompletableFuture.runAsync(this::checkInputs, Thread.ofPlatform()::start).join();
    // Both must be tried in earnest; each input is judged twice.
    assertThat(accepted / 2).isBetween(INPUTS / 100, INPUTS / 2);
  }

  @Test
  @Tag(LongRun.TAG)
  void millionsOfInputs() throws Exception {
    LongRun.repeat(
        LineFormatFuzzTest.class,
        1,
        seed -> {
          random = RandomSource.seeded(seed);
          accepted = 0;
          anyInputIsAcceptedOrRefusedAndNothingElse();
          return INPUTS;
        });
  }

  private void checkInputs() {
    for (int i = 0; i < INPUTS; i++) {
      byte[] input = input();
      try {
        check(input);
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError("input " + i + ": " + Bytes.wrap(input), e);
      }
    }
  }

  /** Judges an input at two places between two surroundings: the verdict must be the same. */
  private void check(byte[] input) {
    byte filler = (byte) random.nextInt(256);
    Verdict verdict = judge(input, random.nextInt(20), 0, filler);
    Verdict again = judge(input, random.nextInt(20), random.nextInt(20), (byte) ~filler);
    if (!verdict.equals(again)) {
      throw new AssertionError("judged as " + verdict + ", then as " + again);
    }
  }

  private Verdict judge(byte[] input, int before, int behind, byte filler) {
    byte[] array = new byte[before + input.length + behind];
    Arrays.fill(array, filler);
    System.arraycopy(input, 0, array, before, input.length);
    CellBatch batch;
    try {
      batch = CellBatch.parse(array, before, input.length);
    } catch (InvalidRequestException e) {
      return new Verdict(List.of(), String.valueOf(e.getMessage()));
    }
    accepted++;
    List<Cell> cells = RandomCells.cells(batch);
    checkCells(batch, cells);
    return new Verdict(cells, "");
  }

  /** An accepted batch obeys the rules, and builds a batch of equal cells. */
  private static void checkCells(CellBatch batch, List<Cell> cells) {
    CellBatchBuilder builder = new CellBatchBuilder();
    for (int i = 0; i < cells.size(); i++) { // each was made by a constructor that checks it
      if (i > 0 && cells.get(i - 1).compareTo(cells.get(i)) >= 0) {
        throw new AssertionError(cells.get(i - 1) + " stands before " + cells.get(i));
      }
      builder.add(cells.get(i));
    }
    if (cells.isEmpty() || cells.size() != batch.cellCount()) {
      throw new AssertionError(cells.size() + " cells in a batch of " + batch.cellCount());
    }
    byte[] rebuilt = builder.build().toArray();
    if (rebuilt.length > batch.length()
        || !RandomCells.cells(CellBatch.parse(rebuilt)).equals(cells)) {
      throw new AssertionError("rebuilt as " + Bytes.wrap(rebuilt));
    }
  }

  private static byte[] batch(RandomCells cells) {
    CellBatchBuilder builder = new CellBatchBuilder();
    for (int n = 0; n < 6; n++) {
      builder.add(cells.change());
    }
    return builder.build().toArray();
  }

  private byte[] pick() {
    return valid.get(random.nextInt(valid.size()));
  }

  private byte[] input() {
    byte[] input = pick().clone();
    for (int n = random.nextInt(1, 3); n > 0 && input.length > 0; n--) {
      input = mutate(input);
    }
    return input;
  }

  private byte[] mutate(byte[] input) {
    int at = random.nextInt(input.length);
    return switch (random.nextInt(10)) {
      case 0 -> noise();
      case 1, 2 -> flipBit(input, at);
      case 3 -> Arrays.copyOf(input, at);
      case 4 -> Arrays.copyOf(input, input.length + random.nextInt(1, 5));
      case 5 -> splice(input, pick());
      case 6 -> setLength(input, at);
      case 7 -> setCount(input);
      case 8 -> insert(input, at);
      default -> setByte(input, at);
    };
  }

  /** Random bytes, mostly behind a good start, or they would not get far. */
  private byte[] noise() {
    byte[] noise = new byte[random.nextInt(80)];
    random.nextBytes(noise);
    if (random.nextInt(4) > 0) {
      System.arraycopy(pick(), 0, noise, 0, Math.min(noise.length, CellBatch.HEADER));
    }
    return noise;
  }

  private byte[] flipBit(byte[] input, int at) {
    input[at] ^= (byte) (1 << random.nextInt(8));
    return input;
  }

  private byte[] setByte(byte[] input, int at) {
    byte[] telling = {0, 1, 2, 3, 4, 8, 12, 24, 31, 32, 127, -128, -1};
    input[at] = telling[random.nextInt(telling.length)];
    return input;
  }

  /** Puts a varint, often a huge one, over what is there. */
  private byte[] setLength(byte[] input, int at) {
    int width = random.nextInt(1, 12);
    for (int i = at; i < Math.min(at + width, input.length); i++) {
      input[i] = (byte) (0x80 | random.nextInt(128));
    }
    if (at + width < input.length) {
      input[at + width] = (byte) random.nextInt(128);
    }
    return input;
  }

  private byte[] setCount(byte[] input) {
    for (int i = 4; i < Math.min(8, input.length); i++) {
      input[i] =
          (byte) (random.nextInt(3) == 0 ? random.nextInt(256) : i == 4 ? random.nextInt(12) : 0);
    }
    return input;
  }

  /** The start of one and the end of another. */
  private byte[] splice(byte[] start, byte[] end) {
    int keep = random.nextInt(start.length + 1);
    int from = random.nextInt(end.length + 1);
    byte[] spliced = Arrays.copyOf(start, keep + end.length - from);
    System.arraycopy(end, from, spliced, keep, end.length - from);
    return spliced;
  }

  /** Repeats a few bytes, or takes some out. */
  private byte[] insert(byte[] input, int at) {
    int count = Math.min(random.nextInt(1, 10), input.length - at);
    if (random.nextBoolean()) {
      byte[] longer = Arrays.copyOf(input, input.length + count);
      System.arraycopy(input, at, longer, at + count, input.length - at);
      return longer;
    }
    byte[] shorter = Arrays.copyOf(input, input.length - count);
    System.arraycopy(input, at + count, shorter, at, input.length - at - count);
    return shorter;
  }
}
