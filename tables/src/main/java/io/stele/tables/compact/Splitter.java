package io.stele.tables.compact;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.tables.compact.MetaChange.Made;
import io.stele.tables.event.TableEvent;
import io.stele.tables.meta.MetaRows;
import io.stele.tables.meta.TableNames;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.meta.TabletKey;
import io.stele.tables.tablet.OrderedLock;
import io.stele.tables.tablet.OrderedLock.Place;
import io.stele.tables.tablet.ServerParts;
import io.stele.tables.tablet.Table;
import io.stele.tables.tablet.TableView;
import io.stele.tables.tablet.Tablet;
import io.stele.tables.tablet.TabletConfigs;
import io.stele.tables.tablet.TabletState;
import io.stele.tables.tablet.TabletView;
import io.stele.tables.tablet.ViewHolder.Borrowed;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/**
 * Splits tablets and joins them, on request and when they are too large or too small.
 *
 * <pre>
 *   split   (a, c] ─► META: (a, b] and (b, c], each with all the files ─► view: two tablets
 *   join    (a, b] and (b, c] ─► META: (a, c], the other row erased    ─► view: one tablet
 * </pre>
 *
 * META is told first, of both rows in one step, and it must be durable: once the view has two
 * tablets their files go different ways. If META cannot be told, nothing has happened.
 *
 * <p>Waits for META: not to be called from a listener.
 */
public final class Splitter {
  private final ServerParts server;
  private final CompactSettings settings;
  private final TabletSizes sizes;
  private final SwapGuard guard;
  private final MetaChange meta;
  private final SplitRun splits;
  private final JoinRun joins;
  private final TabletWarmer warmer;
  private final OrderedLock changing = new OrderedLock(Place.SPLIT); // one change at a time

  // Since when tablets are here with the rows they have, in nanos.
  @GuardedBy("changing")
  private final Map<Tablet, Long> since = new WeakHashMap<>();

  /**
   * Makes one.
   *
   * @param configs for configurations that are not urgent
   * @param saved for those of a split or join
   * @param configOf the configuration of a tablet as a view has it
   * @param warmer opens the files of a tablet, or returns if that was done meanwhile
   */
  public Splitter(
      ServerParts server,
      CompactSettings settings,
      TabletSizes sizes,
      TabletConfigs configs,
      SplitConfigs saved,
      SwapGuard guard,
      BiFunction<Table, TabletView, TabletConfig> configOf,
      BiConsumer<Table, Tablet> warmer) {
    this.server = server;
    this.settings = settings;
    this.sizes = sizes;
    this.guard = guard;
    this.meta = new MetaChange(server, saved, configOf);
    this.splits = new SplitRun(server, meta, configs);
    this.joins = new JoinRun(meta);
    this.warmer = new TabletWarmer(server.clock(), warmer);
  }

  /**
   * Splits a tablet.
   *
   * @param at the last row of the lower half; nothing for a row near the median of what is on disk
   * @return the row at which it was split
   * @throws InvalidRequestException if the table cannot be split, or the tablet not at this row
   */
  public Bytes split(Table table, Tablet tablet, Optional<Bytes> at) {
    checkCanChange(table, "split");
    Bytes row;
    Made made;
    changing.lock();
    try {
      warmer.warm(table, tablet);
      row = at.isPresent() ? checked(table, tablet, at.get()) : chosen(table, tablet);
      made = split(table, tablet, row);
    } finally {
      changing.unlock();
    }
    tell(made);
    return row;
  }

  /**
   * Joins a tablet with the one behind it.
   *
   * @throws ConflictException if their files do not go together as they are: compact first
   */
  public void join(Table table, Tablet lower) {
    checkCanChange(table, "joined");
    Made made;
    changing.lock();
    try {
      warmer.warm(table, lower);
      TableView view = table.view();
      warmer.warm(table, behind(table, view, active(table, view, lower)).tablet());
      made = joinWarm(table, lower);
    } finally {
      changing.unlock();
    }
    tell(made);
  }

  /** Without locks. */
  private void tell(Made made) {
    server.report(made.event());
    made.edited().tell();
  }

  /**
   * Splits what is too large and joins what is too small. To be called after files of a table
   * changed, after tablets were loaded, after its schema changed, and now and then, because tablets
   * are joined only after some time. Failures are told as events, and tried again with the next
   * check.
   */
  public void check(Table table) {
    Round round = new Round();
    Optional<Made> made = step(table, round);
    while (made.isPresent()) {
      tell(made.get());
      made = step(table, round);
    }
  }

  /** What need not be looked at again in one check. */
  private static final class Round {
    final Set<Tablet> notToSplit = Collections.newSetFromMap(new IdentityHashMap<>());
    final Set<Tablet> notToJoin = Collections.newSetFromMap(new IdentityHashMap<>());
  }

  /** Makes one change, if one is to be made. */
  private Optional<Made> step(Table table, Round round) {
    changing.lock();
    try {
      if (meta.isPending(table)) {
        guard.excluding(table, () -> meta.putRight(table));
      }
      if (!settings.automatic() || cannotChange(table).isPresent()) {
        return Optional.empty();
      }
      long now = server.clock().nanos();
      table.view().tablets().forEach(each -> since.putIfAbsent(each.tablet(), now));
      Optional<Made> made = splitOne(table, round);
      return made.isPresent() ? made : joinOne(table, round);
    } finally {
      changing.unlock();
    }
  }

  @GuardedBy("changing")
  private Optional<Made> splitOne(Table table, Round round) {
    for (TabletView tablet : table.view().tablets()) {
      if (tablet.state() == TabletState.ACTIVE && !round.notToSplit.contains(tablet.tablet())) {
        try {
          Optional<Bytes> row = rowIfLarge(table, tablet.tablet());
          if (row.isPresent()) {
            return Optional.of(split(table, tablet.tablet(), row.get()));
          }
        } catch (SteleException e) {
          failed("split of a tablet of table " + table.name(), e);
        }
        round.notToSplit.add(tablet.tablet());
      }
    }
    return Optional.empty();
  }

  /** Opens the files of a cold tablet only if all of them together are too large. */
  private Optional<Bytes> rowIfLarge(Table table, Tablet tablet) {
    if (!mayBeLarge(table, tablet)) {
      return Optional.empty();
    }
    warmer.warm(table, tablet);
    try (Borrowed borrowed = table.borrow()) {
      return borrowed
          .view()
          .find(tablet)
          .filter(each -> sizes.measure(each).orElse(0) > settings.splitBytes())
          .flatMap(each -> point(table, borrowed.view(), each).find());
    }
  }

  private boolean mayBeLarge(Table table, Tablet tablet) {
    try (Borrowed borrowed = table.borrow()) {
      return borrowed
          .view()
          .find(tablet)
          .filter(each -> sizes.atMost(each).orElse(0) > settings.splitBytes())
          .isPresent();
    }
  }

  @GuardedBy("changing")
  private Optional<Made> joinOne(Table table, Round round) {
    List<TabletView> tablets = table.view().tablets();
    for (int i = 0; i + 1 < tablets.size(); i++) {
      TabletView lower = tablets.get(i);
      try {
        if (!round.notToJoin.contains(lower.tablet())
            && areSmall(table, lower, tablets.get(i + 1))) {
          warmer.warm(table, lower.tablet());
          warmer.warm(table, tablets.get(i + 1).tablet());
          return Optional.of(joinWarm(table, lower.tablet()));
        }
      } catch (ConflictException e) {
        round.notToJoin.add(lower.tablet()); // compactions will part their files in time
      } catch (SteleException e) {
        round.notToJoin.add(lower.tablet());
        failed("join of two tablets of table " + table.name(), e);
      }
    }
    return Optional.empty();
  }

  @GuardedBy("changing")
  private boolean areSmall(Table table, TabletView lower, TabletView upper) {
    if (!lower.last().equals(Optional.of(upper.first()))
        || !isSettled(lower)
        || !isSettled(upper)) {
      return false;
    }
    try (Borrowed borrowed = table.borrow()) {
      return size(borrowed.view(), lower.tablet()) + size(borrowed.view(), upper.tablet())
          < settings.joinBytes();
    }
  }

  @GuardedBy("changing")
  private boolean isSettled(TabletView tablet) {
    long now = server.clock().nanos();
    long age = now - since.getOrDefault(tablet.tablet(), now);
    return tablet.state() == TabletState.ACTIVE && age >= settings.joinAge().toNanos();
  }

  private long size(TableView view, Tablet tablet) {
    return view.find(tablet)
        .map(each -> sizes.atMost(each).orElse(Long.MAX_VALUE / 2))
        .orElse(Long.MAX_VALUE / 2);
  }

  private void failed(String what, SteleException cause) {
    server.report(new TableEvent.BackgroundFailed(what, cause));
  }

  // ---- with the lock

  @GuardedBy("changing")
  private Made split(Table table, Tablet tablet, Bytes row) {
    return change(
        table,
        () -> {
          TabletView view = active(table, table.view(), tablet);
          checkInside(table, view, row);
          return splits.split(table, view, row);
        });
  }

  @GuardedBy("changing")
  private Made joinWarm(Table table, Tablet lower) {
    return change(
        table,
        () -> {
          try (Borrowed borrowed = table.borrow()) {
            TableView view = borrowed.view();
            TabletView low = warm(table, view, lower);
            TabletView up = warm(table, view, behind(table, view, low).tablet());
            return joins.join(table, view, low, up);
          }
        });
  }

  @GuardedBy("changing")
  private Made change(Table table, Supplier<Made> change) {
    Made made =
        guard.excluding(
            table,
            () -> {
              checkMetaIsRight(table);
              return change.get();
            });
    long now = server.clock().nanos();
    made.edited().reconfigured().forEach(tablet -> since.put(tablet, now));
    return made;
  }

  private void checkMetaIsRight(Table table) {
    if (!meta.putRight(table)) {
      throw new UnavailableException(
          "tablets of table \""
              + table.name()
              + "\" stay as they are until META has taken back an earlier change: try again");
    }
  }

  private Bytes chosen(Table table, Tablet tablet) {
    try (Borrowed borrowed = table.borrow()) {
      TabletView view = warm(table, borrowed.view(), tablet);
      return point(table, borrowed.view(), view)
          .find()
          .orElseThrow(
              () ->
                  new InvalidRequestException(
                      name(table, view)
                          + " has no row to be split at: both halves must have rows on disk"));
    }
  }

  private Bytes checked(Table table, Tablet tablet, Bytes row) {
    try (Borrowed borrowed = table.borrow()) {
      TabletView view = warm(table, borrowed.view(), tablet);
      checkInside(table, view, row);
      MetaRows.tablet(table.name(), Optional.of(row)); // throws if it cannot end with this row
      if (table.name().equals(TableNames.META1)
          && !point(table, borrowed.view(), view).exists(row)) {
        throw new InvalidRequestException(
            name(table, view)
                + " cannot be split at "
                + MetaRows.describe(row)
                + ": META1 is split only at rows that it has");
      }
      return row;
    }
  }

  private SplitPoint point(Table table, TableView view, TabletView tablet) {
    return new SplitPoint(
        table.name(), view, tablet, server.sequencer().durable(), server.clock().micros());
  }

  // ---- what can be changed

  private static void checkCanChange(Table table, String change) {
    cannotChange(table)
        .ifPresent(
            why -> {
              throw new InvalidRequestException(
                  "table \"" + table.name() + "\" cannot be " + change + ": " + why);
            });
  }

  private static Optional<String> cannotChange(Table table) {
    if (table.name().equals(TableNames.META0)) {
      return Optional.of("the root of META is always one tablet");
    }
    return table.isFixed()
        ? Optional.of("its configuration is a file, and it is always one tablet")
        : Optional.empty();
  }

  private static TabletView active(Table table, TableView view, Tablet tablet) {
    TabletView found =
        view.find(tablet)
            .orElseThrow(
                () ->
                    new NotServingException(
                        "the tablet of table \"" + table.name() + "\" is no longer here"));
    if (found.state() != TabletState.ACTIVE) {
      throw new NotServingException(
          name(table, found)
              + " is "
              + found.state().text()
              + ": must be active to be split or joined");
    }
    return found;
  }

  private static TabletView warm(Table table, TableView view, Tablet tablet) {
    TabletView found = active(table, view, tablet);
    if (!found.isWarm()) {
      throw new UnavailableException(name(table, found) + " has no open files: try again");
    }
    return found;
  }

  private static void checkInside(Table table, TabletView tablet, Bytes row) {
    if (!tablet.contains(row) || tablet.last().equals(Optional.of(row))) {
      throw new InvalidRequestException(
          name(table, tablet)
              + " cannot be split at row \""
              + row
              + "\": must be behind \""
              + tablet.first()
              + "\""
              + tablet.last().map(last -> " and before \"" + last + "\"").orElse(""));
    }
  }

  /** The neighbour with higher rows. */
  private static TabletView behind(Table table, TableView view, TabletView lower) {
    if (lower.last().isEmpty()) {
      throw new InvalidRequestException(
          name(table, lower) + " is the last one: there is none behind it to be joined with");
    }
    return view.find(lower.last().get().successor())
        .filter(upper -> upper.first().equals(lower.last().get()))
        .orElseThrow(
            () ->
                new NotServingException(
                    "the tablet behind " + name(table, lower) + " is not on this server"));
  }

  private static String name(Table table, TabletView tablet) {
    return new TabletKey(table.name(), tablet.last()).toString();
  }
}
