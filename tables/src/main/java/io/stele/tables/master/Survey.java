package io.stele.tables.master;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import io.stele.base.error.CorruptDataException;
import io.stele.base.error.UnavailableException;
import io.stele.tables.files.StoreIdentity;
import io.stele.tables.meta.MetaLevel;
import io.stele.tables.meta.MetaRows;
import io.stele.tables.meta.MetaTable;
import io.stele.tables.meta.RootConfig;
import io.stele.tables.meta.TableNames;
import io.stele.tables.meta.TableRows.UnreadableRow;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.meta.UnfinishedTables.Unfinished;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;

/** Reads who lives and what META says, from the root down, as far as META is served. */
final class Survey {
  private final MasterParts parts;
  private final Orders orders;
  private final StoreIdentity identity;
  private final Reservations reservations;

  Survey(MasterParts parts, Orders orders, Reservations reservations, StoreIdentity identity) {
    this.identity = identity;
    this.parts = parts;
    this.reservations = reservations;
    this.orders = orders;
  }

  /** The cluster as it is. */
  Picture look() {
    return look(false);
  }

  /** The cluster as it is; a META that is not there at all is begun. */
  Picture lookAndBegin() {
    return look(true);
  }

  private Picture look(boolean begin) {
    long mark = reservations.mark();
    List<LiveServer> live = parts.membership().live();
    Set<String> draining = parts.membership().draining();
    List<TabletConfig> tablets = new ArrayList<>();
    List<UnreadableRow> unreadable = new ArrayList<>();
    List<Unfinished> unfinished = new ArrayList<>();
    boolean whole = true;
    for (MetaLevel level : MetaLevel.values()) {
      List<TabletConfig> found = read(parts.meta(), level, live, unreadable, unfinished);
      if (found.isEmpty() && unreadable.isEmpty() && level != MetaLevel.META1) {
        if (begin) {
          begin(level, live);
          found = read(parts.meta(), level, live, unreadable, unfinished);
        } else {
          whole = false;
        }
      }
      tablets.addAll(found);
      boolean served = found.stream().allMatch(each -> Picture.ownerOf(each, live).isPresent());
      if (level != MetaLevel.META1 && (!served || !whole)) {
        whole = false; // what these tablets say cannot be read
        break;
      }
    }
    return new Picture(live, draining, tablets, unreadable, unfinished, whole, mark);
  }

  /**
   * The configurations of all tablets there are, as no crash can take them back.
   *
   * @throws io.stele.base.error.SteleException if one cannot be read, or a table is being made:
   *     what it names, or will name, is not known
   */
  List<TabletConfig> durableConfigs() {
    List<LiveServer> live = parts.membership().live();
    List<TabletConfig> all = new ArrayList<>();
    for (MetaLevel level : MetaLevel.values()) {
      List<UnreadableRow> unreadable = new ArrayList<>();
      List<Unfinished> unfinished = new ArrayList<>();
      List<TabletConfig> found = read(parts.meta().durable(), level, live, unreadable, unfinished);
      all.addAll(found);
      if (!unfinished.isEmpty()) {
        throw new UnavailableException(
            "table \"" + unfinished.getFirst().table() + "\" is being made of others' files");
      }
      if (!unreadable.isEmpty()) {
        UnreadableRow row = unreadable.getFirst();
        throw new CorruptDataException(
            "META",
            0,
            "rows that can be read",
            MetaRows.describe(row.row()) + ": " + row.problem());
      }
      checkServed(level, found, live);
    }
    return all;
  }

  private static void checkServed(
      MetaLevel level, List<TabletConfig> found, List<LiveServer> live) {
    if (level != MetaLevel.META1) {
      found.stream()
          .filter(tablet -> Picture.ownerOf(tablet, live).isEmpty())
          .findFirst()
          .ifPresent(
              tablet -> {
                throw new UnavailableException(tablet.key() + " has no server at the moment");
              });
    }
  }

  private List<TabletConfig> read(
      MetaTable meta,
      MetaLevel level,
      List<LiveServer> live,
      List<UnreadableRow> unreadable,
      List<Unfinished> unfinished) {
    List<UnreadableRow> bad = new ArrayList<>();
    List<Unfinished> half = new ArrayList<>();
    List<TabletConfig> found = whileLive(live, () -> meta.tablets(level, bad::add, half::add));
    unreadable.addAll(bad);
    unfinished.addAll(half);
    return found;
  }

  /**
   * Waits for META, but not for a server that is gone: then whoever has META now is to be found
   * first.
   */
  private <T> T whileLive(List<LiveServer> live, Callable<T> action) {
    return orders.await(
        action,
        () -> {
          Optional<LiveServer> gone =
              live.stream().filter(each -> !orders.isLive(each)).findFirst();
          if (gone.isPresent()) {
            throw new UnavailableException(
                "server " + gone.get().address() + " was lost while META was read");
          }
        });
  }

  /** Writes what META begins with; who else does so at the same time writes the same. */
  private void begin(MetaLevel level, List<LiveServer> live) {
    parts.lead().check();
    try {
      if (level == MetaLevel.ROOT) {
        UUID _ = identity.settle();
        StoreIdentity.checkNoFragments(parts.files());
        TabletConfig empty = TabletConfig.empty(TableNames.META0, Bytes.EMPTY, Optional.empty());
        parts.root().save(RootConfig.encode(empty), 0);
      } else {
        whileLive(
            live,
            () -> {
              parts.meta().makeMeta1();
              return level;
            });
      }
    } catch (ConflictException e) {
      // Another master was quicker.
    }
  }
}
