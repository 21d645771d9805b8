package io.stele.bench.engine;

import io.stele.base.error.ExhaustedException;
import io.stele.bench.Benchmark;
import io.stele.bench.Case;
import io.stele.bench.Peer;
import io.stele.bench.Run;
import io.stele.engine.disk.Codec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** {@code stele bench engine}: the storage engine beside RocksDB. */
@Command(
    name = "engine",
    description = {
      "Measure the storage engine beside RocksDB.",
      "Both sides run in turns in this process, over the same records, with the same durability,"
          + " cache and codec. A ratio above 1 means that Stele is better."
    })
public final class EngineCommand extends Benchmark<EngineCommand.Work> {
  private static final long RECORDS = 2_000_000;
  private static final long QUICK_RECORDS = 200_000;
  private static final long MOST_RECORDS = 1_000_000_000_000L;
  private static final List<Integer> VALUE_SIZES = List.of(100, 1024);
  private static final int OPEN_VALUE_SIZE = 1024;
  private static final int GROWTH_VALUE_SIZE = 100;

  /** What a case does. */
  sealed interface Work {}

  /** Measured for each value size, over the same data as its neighbours. */
  private non-sealed interface Sized extends Work {
    void run(EngineCases cases, Dataset data) throws Exception;
  }

  /** Measured once, over data of its own. */
  private non-sealed interface Once extends Work {
    void run(EngineCases cases) throws Exception;
  }

  private final Function<Codec, Peer<EngineSide>> peers;

  @Option(
      names = "--records",
      paramLabel = "N",
      description =
          "Records of each value size (2,000,000; quick: 200,000). Opening is timed with at most as"
              + " many, growth starts with at most a fifth.")
  private @Nullable Long records;

  @Option(
      names = "--value-size",
      paramLabel = "BYTES",
      split = ",",
      description = "Value sizes (100,1024).")
  private List<Integer> valueSizes = new ArrayList<>();

  @Option(
      names = "--codec",
      paramLabel = "CODEC",
      converter = CodecConverter.class,
      description = "Compression on both sides: none, lz4, zstd or snappy (none).")
  private Codec codec = Codec.NONE;

  public EngineCommand() {
    this(RocksSide::find);
  }

  EngineCommand(Function<Codec, Peer<EngineSide>> peers) {
    this.peers = peers;
  }

  static final class CodecConverter implements ITypeConverter<Codec> {
    @Override
    public Codec convert(String text) {
      for (Codec codec : Codec.values()) {
        if (name(codec).equals(text)) {
          return codec;
        }
      }
      throw new TypeConversionException(
          "'%s' is not one of %s"
              .formatted(
                  text,
                  Arrays.stream(Codec.values())
                      .map(CodecConverter::name)
                      .collect(Collectors.joining(", "))));
    }

    private static String name(Codec codec) {
      return codec.name().toLowerCase(Locale.ROOT);
    }
  }

  private static Case<Work> sized(String name, String about, Sized work) {
    return new Case<>(name, about, work);
  }

  @Override
  protected List<Case<Work>> cases() {
    return List.of(
        sized(
            "fill-sync",
            "random puts from %d threads, each durable (fsync) when it returns"
                .formatted(EngineCases.SYNC_THREADS),
            EngineCases::fillSync),
        sized(
            "fill",
            "random puts of all records from 1 thread that does not wait for the log",
            EngineCases::fill),
        sized("disk-bytes", "bytes of all files after a full compaction", EngineCases::diskBytes),
        sized(
            "get-cached",
            "random gets at 1 and 2 threads, all data in the block cache",
            EngineCases::getCached),
        sized(
            "get-uncached",
            "random gets at 1 and 2 threads, the block cache an eighth of the data",
            EngineCases::getUncached),
        sized(
            "scan",
            "full scan at 1 thread, every byte of keys and values read, all data in the block"
                + " cache",
            EngineCases::scan),
        sized(
            "seek" + EngineCases.SOUGHT_CELLS,
            "seek to a random key and read %d values, all data in the block cache"
                .formatted(EngineCases.SOUGHT_CELLS),
            EngineCases::seek),
        new Case<>(
            "open",
            "time to open a store of a gigabyte (less in a quick run) and read one key",
            (Once) cases -> cases.open(openRecords())),
        new Case<>(
            "growth",
            "cost of a get and of a scanned row at 3 and 10 times the data, relative to 1 time",
            (Once) cases -> cases.growth(growthRecords())));
  }

  // ---- scale

  private long count() {
    return scaled("--records", records, RECORDS, QUICK_RECORDS, 1, MOST_RECORDS);
  }

  private List<Integer> sizes() {
    return scaled(
        "--value-size",
        valueSizes,
        VALUE_SIZES,
        VALUE_SIZES,
        Records.SMALLEST_VALUE,
        Records.LARGEST_VALUE);
  }

  private Records openRecords() {
    return new Records(OPEN_VALUE_SIZE, Math.min(count(), quick() ? 100_000 : 1_000_000));
  }

  private Records growthRecords() {
    return new Records(GROWTH_VALUE_SIZE, Math.clamp(count() / 5, 1, quick() ? 50_000 : 400_000));
  }

  /** Keys and values of the most that is open at one time, on one side. */
  private long largestBytes() {
    int growth = EngineCases.GROWTH.stream().mapToInt(Integer::intValue).sum();
    long largest = Math.max(growth * growthRecords().bytes(), openRecords().bytes());
    for (int size : sizes()) {
      largest = Math.max(largest, new Records(size, count()).bytes());
    }
    return largest;
  }

  /** Two sides, one of them while it is compacted, and what the formats and the logs add. */
  @Override
  protected long neededDiskBytes() {
    return 4 * largestBytes() + (64L << 20);
  }

  /** Stele's cache is in the heap, and so are its mem fragments. */
  private long neededHeapBytes() {
    long data = largestBytes();
    long memory = EngineSide.MEMORY_TABLES * EngineSide.MEMORY_TABLE_BYTES * 3 / 2;
    return data * 3 / 2 + Math.min(memory, 3 * data) + (256L << 20);
  }

  void checkHeap(long heapBytes) {
    if (heapBytes < neededHeapBytes()) {
      throw new ExhaustedException(
          String.format(
              Locale.ROOT,
              "the JVM's heap of %,d MiB is too small, this run needs %,d MiB: set"
                  + " STELE_JAVA_OPTS=-Xmx%dm, or use fewer --records",
              heapBytes >> 20,
              neededHeapBytes() >> 20,
              (neededHeapBytes() * 5 / 4) >> 20));
    }
  }

  // ---- the run

  @Override
  protected String peerColumn() {
    return "ROCKSDB";
  }

  @Override
  protected void measure(Run run, List<Case<Work>> wanted) throws Exception {
    checkHeap(Runtime.getRuntime().maxMemory());
    EngineSide stele = new SteleSide(codec);
    Peer<EngineSide> peer = peers.apply(codec);
    run.fact(
        "scale",
        String.format(
            Locale.ROOT,
            "%,d records, keys of %d bytes, values of %s bytes; %s",
            count(),
            Records.KEY_BYTES,
            sizes().stream().map(String::valueOf).collect(Collectors.joining(" and ")),
            run.lengths()));
    run.facts(stele.facts());
    run.facts(peer.facts());
    EngineCases cases = new EngineCases(run, stele, peer);
    for (int size : sizes()) {
      String label = Records.label(size);
      try (Dataset data = new Dataset(run, "data-" + label, new Records(size, count()))) {
        for (Case<Work> each : wanted) {
          if (each.work() instanceof Sized sized) {
            run.attempt(each.name() + "-" + label, () -> sized.run(cases, data));
          }
        }
      }
    }
    for (Case<Work> each : wanted) {
      if (each.work() instanceof Once once) {
        run.attempt(each.name(), () -> once.run(cases));
      }
    }
  }
}
