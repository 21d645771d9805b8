package io.stele.engine;

import static io.stele.engine.TestCells.batch;
import static io.stele.engine.TestCells.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.engine.compaction.CompactionSettings;
import io.stele.engine.model.Version;
import io.stele.testkit.run.Seed;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Promise 1 with real processes: "an acknowledged write survives {@code kill -9} of any process". A
 * process writes and tells of each write that was acknowledged; it is killed at some moment, and
 * what it told of must be there, with nothing later that survived something earlier.
 */
@Timeout(value = 90, unit = TimeUnit.SECONDS, threadMode = ThreadMode.SEPARATE_THREAD)
class StoreKillTest {
  private static final int KILLS = 5;
  private static final int WRITERS = 4;
  private static final List<Bytes> FAMILIES = List.of(bytes("a"), bytes("b"), bytes("c"));

  /** Small, so that files are flushed and compacted all the time. */
  private static final StoreSettings SETTINGS =
      StoreSettings.DEFAULT
          .withMemory(20_000, 80_000)
          .withCompaction(CompactionSettings.DEFAULT.withWidths(2, 8));

  /** The process that is killed. */
  static final class Writer {
    private Writer() {}

    /** Writes for ever; the arguments are the directory and a name for the rows of this run. */
    public static void main(String[] args) {
      Store store = Store.open(Path.of(args[0]), SETTINGS);
      for (int writer = 0; writer < WRITERS; writer++) {
        String prefix = args[1] + "/" + writer + "/";
        Thread.ofPlatform().start(() -> write(store, prefix));
      }
    }

    private static void write(Store store, String prefix) {
      for (int i = 0; ; i++) {
        Bytes row = bytes(prefix + i);
        Bytes value = bytes("x".repeat(i % 200));
        Cell[] cells =
            FAMILIES.stream()
                .map(family -> Cell.put(row, family, Bytes.EMPTY, 1, value))
                .toArray(Cell[]::new);
        long txn = store.apply(batch(cells));
        System.out.print(txn + " " + prefix + i + " .\n"); // a line that is cut off has no dot
        System.out.flush();
      }
    }
  }

  @Test
  void everyAcknowledgedWriteSurvivesKill(@TempDir Path directory) throws Exception {
    long seed = Seed.of(StoreKillTest.class, 1);
    SplittableRandom random = new SplittableRandom(seed);
    Map<Long, String> acknowledged = new TreeMap<>();
    for (int kill = 1; kill <= KILLS; kill++) {
      String about = "seed " + seed + ", kill " + kill;
      int before = acknowledged.size();
      writeUntilKilled(directory, "run" + kill, random.nextInt(1, 600), acknowledged);
      assertThat(acknowledged).as(about).hasSizeGreaterThan(before);
      try (Store store = Store.open(directory, SETTINGS)) {
        check(store, acknowledged, about);
      }
    }
  }

  /** Reads what the process acknowledges, kills it after some, and reads what it still had told. */
  private static void writeUntilKilled(
      Path directory, String name, int killAfter, Map<Long, String> acknowledged)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-cp",
                System.getProperty("java.class.path"),
                Writer.class.getName(),
                directory.toString(),
                name)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader told =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      int lines = 0;
      String line = told.readLine();
      while (line != null) {
        String[] parts = line.split(" ", 3);
        if (parts.length == 3 && parts[2].equals(".")) {
          acknowledged.put(Long.parseLong(parts[0]), parts[1]);
        }
        if (++lines == killAfter) {
          process.toHandle().destroyForcibly(); // unlike the process's own, leaves the pipe open
        }
        line = told.readLine();
      }
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  private static void check(Store store, Map<Long, String> acknowledged, String about) {
    Map<Long, List<Version>> byTxn =
        TestCells.readAll(store).stream()
            .collect(Collectors.groupingBy(Version::txn, TreeMap::new, Collectors.toList()));
    assertThat(byTxn.keySet())
        .as("%s: the transactions that survived are the first", about)
        .containsExactlyElementsOf(LongStream.rangeClosed(1, store.assignedTxn()).boxed().toList());
    byTxn.forEach(
        (txn, cells) -> assertThat(cells).as("%s: transaction %d is whole", about, txn).hasSize(3));
    acknowledged.forEach(
        (txn, row) ->
            assertThat(byTxn.getOrDefault(txn, List.of()))
                .as("%s: acknowledged transaction %d", about, txn)
                .hasSize(3)
                .allSatisfy(version -> assertThat(version.row()).isEqualTo(bytes(row))));
  }
}
