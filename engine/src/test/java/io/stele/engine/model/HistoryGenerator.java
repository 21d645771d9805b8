package io.stele.engine.model;

import io.stele.base.bytes.Bytes;
import io.stele.base.predicate.ColumnRange;
import io.stele.base.predicate.RowRange;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Random histories over few rows, columns and timestamps, so that changes meet; some also have
 * stretches of many rows, many columns or many versions, so that fragments have many blocks.
 *
 * <p>Under a policy that counts versions, erasures are only of whole columns, families and rows.
 * Whether the erasure of a single newer version brings an older one back depends on whether a flush
 * or a compaction had purged that one in between, and so on settings; {@link
 * io.stele.base.schema.PurgePolicy} says so to its users.
 */
public final class HistoryGenerator {
  private static final long NOW = 1_000_000_000_000L; // where the manual clock starts
  private static final long TICK = 1_000;
  private static final int TICKS = 12;

  private static final List<Bytes> FAMILIES =
      List.of(Bytes.utf8("f"), Bytes.utf8("fa"), Bytes.utf8("g"));
  private static final List<Bytes> QUALIFIERS =
      List.of(Bytes.EMPTY, Bytes.of((byte) 0), Bytes.utf8("q"), Bytes.utf8("q\0"), Bytes.utf8("r"));
  private static final List<Bytes> ROWS =
      List.of(
          Bytes.of((byte) 0),
          Bytes.utf8("a"),
          Bytes.utf8("a\0"),
          Bytes.utf8("a\0\0"),
          Bytes.utf8("ab"),
          Bytes.utf8("fill00500"),
          Bytes.utf8("prefix/prefix/prefix/prefix/1"),
          Bytes.utf8("prefix/prefix/prefix/prefix/2"),
          Bytes.of((byte) 0x80),
          Bytes.of((byte) 0xff),
          Bytes.of((byte) 0xff, (byte) 0xff));

  private final SplittableRandom random;
  private final Purge purge;
  private final int rows;
  private final boolean bulky;
  private int puts;

  private HistoryGenerator(long seed) {
    this.random = new SplittableRandom(seed);
    this.purge = purge();
    this.rows = random.nextInt(1, ROWS.size() + 1);
    this.bulky = random.nextInt(4) == 0;
  }

  private HistoryGenerator(long seed, Purge purge) {
    this.random = new SplittableRandom(seed);
    this.purge = purge;
    this.rows = ROWS.size();
    this.bulky = false;
  }

  /** Changes of the random kind, of every kind there is, for tests with a driver of their own. */
  public static List<List<Change>> batches(long seed, int count) {
    HistoryGenerator generator = new HistoryGenerator(seed, Purge.NONE);
    List<List<Change>> batches = new ArrayList<>();
    while (batches.size() < count) {
      batches.add(((Step.Apply) generator.apply()).changes());
    }
    return batches;
  }

  /** The history of a seed. */
  public static History generate(long seed, int length) {
    HistoryGenerator generator = new HistoryGenerator(seed);
    List<Step> steps = new ArrayList<>();
    for (int i = 0; i < length; i++) {
      steps.add(generator.step());
    }
    steps.add(new Step.Read(Question.ALL, new Step.At.Durable(), List.of(all())));
    for (int i = 0; i < 3; i++) {
      steps.add(new Step.Read(Question.ALL, new Step.At.Snapshot(i), List.of(all())));
    }
    return new History(generator.purge, steps);
  }

  private static Step.Move all() {
    return new Step.Move.Next(Integer.MAX_VALUE);
  }

  private Purge purge() {
    Purge.Rule[] rules = Purge.Rule.values();
    Purge.Rule rule = random.nextBoolean() ? Purge.Rule.NONE : rules[random.nextInt(rules.length)];
    return new Purge(rule, random.nextInt(1, 4), random.nextInt(TICKS) * TICK + 1);
  }

  private Step step() {
    int dice = random.nextInt(100);
    if (dice < 40) {
      return apply();
    } else if (dice < 54) {
      return new Step.Get(row(), family(), qualifier(), at());
    } else if (dice < 68) {
      return new Step.Read(question(), at(), moves());
    } else if (dice < 74) {
      return new Step.Flush();
    } else if (dice < 76) {
      return new Step.Compact();
    } else if (dice < 78) {
      return new Step.Reopen();
    } else if (dice < 79) {
      return new Step.Restrict(families());
    } else if (dice < 82) {
      return new Step.Advance(random.nextInt(4) * TICK);
    } else if (dice < 87) {
      return new Step.OpenSnapshot();
    } else if (dice < 90) {
      return new Step.CloseSnapshot(random.nextInt(100));
    } else if (dice < 93) {
      return new Step.OpenScan(question(), at());
    } else if (dice < 98) {
      return new Step.MoveScan(random.nextInt(100), move());
    }
    return new Step.CloseScan(random.nextInt(100));
  }

  private Step apply() {
    List<Change> changes = new ArrayList<>();
    if (bulky && random.nextInt(12) == 0) {
      stretch(changes);
    } else {
      int count = random.nextInt(4) == 0 ? random.nextInt(1, 12) : random.nextInt(1, 3);
      for (int i = 0; i < count; i++) {
        changes.add(change());
      }
    }
    return new Step.Apply(changes, random.nextInt(4) != 0);
  }

  /** Many cells that differ in only one of row, column and timestamp. */
  private void stretch(List<Change> changes) {
    int count = random.nextInt(50, 600);
    int start = random.nextInt(500);
    int what = random.nextInt(4);
    Bytes row = row();
    Bytes family = family();
    Bytes qualifier = qualifier();
    for (int i = 0; i < count; i++) {
      Bytes number = Bytes.utf8("%05d".formatted(start + i));
      changes.add(
          switch (what) {
            case 0 -> new Change.Put(row, family, Bytes.utf8("c").concat(number), NOW, value());
            case 1 -> new Change.Put(row, family, qualifier, NOW - i, value());
            default -> put(Bytes.utf8("fill").concat(number), family, qualifier);
          });
    }
  }

  private Change change() {
    boolean counted = purge.countsHistory();
    int dice = random.nextInt(100);
    if (dice < 70) {
      return put(row(), family(), qualifier());
    } else if (dice < 80) {
      return counted
          ? new Change.EraseColumn(row(), family(), qualifier(), Long.MIN_VALUE, Long.MAX_VALUE)
          : new Change.EraseCell(row(), family(), qualifier(), timestamp());
    } else if (dice < 90) {
      long from = counted || random.nextInt(4) == 0 ? Long.MIN_VALUE : timestamp();
      long to = counted || random.nextInt(4) == 0 ? Long.MAX_VALUE : timestamp();
      return new Change.EraseColumn(
          row(),
          family(),
          qualifier(),
          Math.min(from, to),
          Math.max(from, to) + (from == to ? 1 : 0));
    } else if (dice < 95) {
      return new Change.EraseFamily(row(), family());
    }
    return new Change.EraseRow(row());
  }

  private Change.Put put(Bytes row, Bytes family, Bytes qualifier) {
    return new Change.Put(row, family, qualifier, timestamp(), value());
  }

  private Bytes value() {
    Bytes name = Bytes.utf8("v" + puts++);
    int dice = random.nextInt(100);
    if (dice < 4) {
      return Bytes.EMPTY;
    }
    return dice < 92 ? name : name.concat(Bytes.wrap(new byte[random.nextInt(3_000)]));
  }

  private Bytes row() {
    return ROWS.get(random.nextInt(rows));
  }

  private Bytes family() {
    return FAMILIES.get(random.nextInt(FAMILIES.size()));
  }

  private Bytes qualifier() {
    return QUALIFIERS.get(random.nextInt(QUALIFIERS.size()));
  }

  private Set<Bytes> families() {
    Set<Bytes> some = new HashSet<>(List.of(Bytes.utf8("unknown")));
    for (Bytes family : FAMILIES) {
      if (random.nextInt(3) > 0) {
        some.add(family);
      }
    }
    return some;
  }

  /** Mostly near now, sometimes at the ends of what a timestamp can be. */
  private long timestamp() {
    return switch (random.nextInt(30)) {
      case 0 -> Long.MIN_VALUE;
      case 1 -> Long.MAX_VALUE - 1;
      case 2 -> 0;
      case 3 -> -1;
      default -> NOW - random.nextInt(TICKS) * TICK;
    };
  }

  private Step.At at() {
    return switch (random.nextInt(4)) {
      case 0 -> new Step.At.Latest();
      case 1 -> new Step.At.Durable();
      default -> new Step.At.Snapshot(random.nextInt(100));
    };
  }

  private Question question() {
    long one = timestamp();
    long other = timestamp();
    boolean timed = random.nextInt(3) == 0 && one != other;
    return new Question(
        rowRanges(),
        random.nextBoolean() ? List.of() : columnRanges(),
        timed ? Math.min(one, other) : Long.MIN_VALUE,
        timed ? Math.max(one, other) : Long.MAX_VALUE,
        random.nextBoolean() ? Integer.MAX_VALUE : random.nextInt(1, 4));
  }

  private List<RowRange> rowRanges() {
    List<RowRange> ranges = new ArrayList<>();
    for (int n = random.nextInt(1, 4); n > 0; n--) {
      ranges.add(
          switch (random.nextInt(5)) {
            case 0 -> RowRange.ALL;
            case 1 -> RowRange.row(row());
            case 2 -> RowRange.prefix(Bytes.utf8(random.nextBoolean() ? "a" : "fill003"));
            default -> rowRange(row(), random.nextInt(4) == 0 ? null : row());
          });
    }
    return ranges;
  }

  private static RowRange rowRange(Bytes one, @Nullable Bytes other) {
    return other != null && one.compareTo(other) > 0
        ? new RowRange(other, one)
        : new RowRange(one, other);
  }

  private List<ColumnRange> columnRanges() {
    List<ColumnRange> ranges = new ArrayList<>();
    for (int n = random.nextInt(1, 4); n > 0; n--) {
      Bytes one = qualifier();
      Bytes other = qualifier();
      ranges.add(
          switch (random.nextInt(3)) {
            case 0 -> ColumnRange.family(family());
            case 1 -> ColumnRange.column(family(), one);
            default ->
                one.compareTo(other) <= 0
                    ? ColumnRange.of(family(), one, other)
                    : ColumnRange.of(family(), other, one);
          });
    }
    return ranges;
  }

  private List<Step.Move> moves() {
    if (random.nextBoolean()) {
      return List.of(all());
    }
    List<Step.Move> moves = new ArrayList<>();
    for (int n = random.nextInt(1, 8); n > 0; n--) {
      moves.add(move());
    }
    return moves;
  }

  private Step.Move move() {
    return random.nextBoolean()
        ? new Step.Move.Next(random.nextInt(1, 10))
        : new Step.Move.Seek(target());
  }

  private Step.Target target() {
    Step.Target.Depth[] depths = Step.Target.Depth.values();
    Bytes row =
        random.nextInt(3) == 0 ? Bytes.utf8("fill%05d".formatted(random.nextInt(1_200))) : row();
    return new Step.Target(
        row, family(), qualifier(), timestamp(), depths[random.nextInt(depths.length)]);
  }
}
