package io.stele.tables.master;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.MetaProblem;
import io.stele.base.table.TableAdmin;
import io.stele.base.table.TabletInfo;
import io.stele.tables.files.MetaFiles;
import io.stele.tables.master.Orders.Answer;
import io.stele.tables.master.Reservations.Reservation;
import io.stele.tables.meta.Futures;
import io.stele.tables.meta.MetaTable;
import io.stele.tables.meta.MetaTable.AsOf;
import io.stele.tables.meta.MetaTable.StoredSchema;
import io.stele.tables.meta.MetaVerifier;
import io.stele.tables.meta.TableNames;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.meta.TabletKey;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * The tables of a cluster as a whole: what META says of them the master writes, what concerns their
 * tablets it tells the servers that have them.
 */
public final class ClusterTables implements TableAdmin {
  private static final int ATTEMPTS = 5;

  private final Master master;
  private final MetaTable meta;

  ClusterTables(Master master) {
    this.master = master;
    this.meta = master.parts().meta();
  }

  // ---- finding

  /** The tablet that holds a row. */
  TabletConfig find(String table, Bytes row) {
    Bytes probe = row.isEmpty() ? row.successor() : row;
    return meta.tabletOf(table, probe)
        .orElseThrow(
            () -> {
              check(table);
              return new UnavailableException(
                  "META has no tablet of table \"" + table + "\" with row \"" + row + "\"");
            });
  }

  private TableSchema check(String table) {
    return stored(table).value().orElseThrow(() -> noTable(table)).schema();
  }

  private AsOf<Optional<StoredSchema>> stored(String table) {
    return meta.schema(table);
  }

  private static NotFoundException noTable(String table) {
    return new NotFoundException("there is no table \"" + table + "\"");
  }

  private static void checkChangeable(String table) {
    if (TableNames.isReserved(table)) {
      throw new InvalidRequestException(
          "table \"" + table + "\" describes all others, and is not to be changed by hand");
    }
  }

  private List<LiveServer> live() {
    return master.parts().membership().live();
  }

  /** The servers that have tablets of a table. */
  private Set<LiveServer> owners(String table) {
    List<LiveServer> live = live();
    Set<LiveServer> owners = new LinkedHashSet<>();
    List<TabletConfig> tablets = meta.tablets(table);
    tablets.forEach(tablet -> Picture.ownerOf(tablet, live).ifPresent(owners::add));
    if (tablets.isEmpty()) {
      check(table);
    }
    return owners;
  }

  private LiveServer ownerOf(TabletConfig tablet) {
    return Picture.ownerOf(tablet, live())
        .orElseThrow(() -> new UnavailableException(tablet.key() + " has no server at the moment"));
  }

  /** Tells servers something, all at once; fails if one of them does. */
  private void tell(Set<LiveServer> servers, String what, Consumer<TabletControl> order) {
    Answer.values(
        master
            .orders()
            .callAll(
                servers,
                what,
                master.settings().patience(),
                control -> {
                  order.accept(control);
                  return control;
                })
            .values());
  }

  /** Waits until all tablets of a table are served. */
  private void awaitServed(String table) {
    boolean _ =
        master.settle(
            picture ->
                picture.whole()
                    && picture.unowned().stream().noneMatch(each -> each.table().equals(table)),
            master.settings().patience());
  }

  // ---- tables

  /** Returns when its tablets are served, or when that takes too long: they will be. */
  @Override
  public void create(String table, TableSchema schema, List<Bytes> splits) {
    TableNames.checkNew(table);
    List<TabletConfig> tablets = new ArrayList<>();
    Bytes first = Bytes.EMPTY;
    for (Bytes split : splits) {
      if (split.compareTo(first) <= 0) {
        throw new InvalidRequestException(
            "split row \"" + split + "\" behind \"" + first + "\": must be above it");
      }
      tablets.add(TabletConfig.empty(table, first, Optional.of(split)));
      first = split;
    }
    tablets.add(TabletConfig.empty(table, first, Optional.empty()));
    boolean _ =
        master.settle(Picture::whole, master.settings().patience()); // it may have just begun
    master.parts().lead().check();
    repeatedly(() -> Futures.await(meta.create(table, schema, tablets)), () -> exists(table));
    awaitServed(table);
  }

  private boolean exists(String table) {
    return meta.rows(table).value().exists();
  }

  /**
   * META says that a row was changed also if it no longer knows: after its tablet moved. Then it is
   * read and written again.
   *
   * @param settled whether the conflict is a real one
   */
  private static void repeatedly(Runnable change, BooleanSupplier settled) {
    for (int attempt = 1; ; attempt++) {
      try {
        change.run();
        return;
      } catch (ConflictException e) {
        if (attempt == ATTEMPTS || settled.getAsBoolean()) {
          throw e;
        }
      }
    }
  }

  @Override
  public List<String> list(boolean withMeta) {
    TreeSet<String> names = new TreeSet<>(meta.tables());
    if (withMeta) {
      names.add(TableNames.META0);
      names.add(TableNames.META1);
    }
    return List.copyOf(names);
  }

  @Override
  public TableSchema schema(String table) {
    return check(table);
  }

  /** A server that loads a tablet meanwhile is told too, and looks again once it has it. */
  @Override
  public void alter(String table, Optional<TableSchema> expected, TableSchema schema) {
    checkChangeable(table);
    StoredSchema.checkExpected(table, expected, check(table));
    AsOf<Optional<StoredSchema>> known = stored(table);
    long revision = known.value().orElseThrow(() -> noTable(table)).revision();
    master.parts().lead().check();
    repeatedly(
        () -> {
          AsOf<Optional<StoredSchema>> now = stored(table);
          StoredSchema.checkExpected(
              table, expected, now.value().orElseThrow(() -> noTable(table)).schema());
          Futures.await(meta.saveSchema(table, schema, now));
        },
        () -> {
          StoredSchema now = stored(table).value().orElseThrow(() -> noTable(table));
          StoredSchema.checkExpected(table, expected, now.schema());
          return now.revision() != revision;
        });
    putInForce(table);
  }

  /**
   * Tells all live servers of the schema until each of them has applied it. A server that is still
   * reading a log for one of the tablets cannot do so yet, and one that has just died never will.
   */
  private void putInForce(String table) {
    List<SteleException> lasting = new ArrayList<>();
    boolean done =
        master.settle(
            _ -> {
              try {
                tell(
                    Set.copyOf(live()),
                    "put a schema into force",
                    control -> control.reloadSchema(master.parts().token(), table));
              } catch (SteleException e) {
                if (!Troubles.isLasting(e)) {
                  throw e;
                }
                lasting.add(e);
              }
              return true;
            },
            master.settings().patience());
    if (!lasting.isEmpty()) {
      throw lasting.getFirst();
    }
    if (!done) {
      throw new UnavailableException(
          "META has the new schema of table \""
              + table
              + "\", but the master has ended before all"
              + " servers had put it into force: they do so by themselves");
    }
  }

  /** A crash before META has forgotten the table leaves it as it was, served again. */
  @Override
  public void drop(String table) {
    checkChangeable(table);
    check(table);
    try (Reservation _ = master.reservations().takeTable(table, master.settings().patience())) {
      // A tablet may be split while others are unloaded, so it is looked again.
      Map<LiveServer, List<TabletKey>> served = served(table);
      for (int looks = 1; !served.isEmpty(); looks++) {
        if (looks > ATTEMPTS) {
          throw new UnavailableException(
              "tablets of table \"" + table + "\" cannot be unloaded: " + served);
        }
        served.forEach(this::unload);
        served = served(table);
      }
      master.parts().lead().check();
      repeatedly(() -> Futures.await(meta.drop(table)), () -> !exists(table));
    } finally {
      master.wake(); // what was unloaded and not dropped is to be served
    }
  }

  /** Returns when its tablets are served, or when that takes too long: they will be. */
  @Override
  public void copy(String source, String target) {
    checkChangeable(source);
    TableNames.checkNew(target);
    check(source);
    awaitServed(source);
    try (Reservation _ = master.reservations().takeTable(source, master.settings().patience())) {
      master.copies().copy(source, target, () -> owners(source));
    } finally {
      master.wake();
    }
    awaitServed(target);
  }

  private Map<LiveServer, List<TabletKey>> served(String table) {
    List<LiveServer> live = live();
    Map<LiveServer, List<TabletKey>> served = new LinkedHashMap<>();
    for (TabletConfig tablet : meta.tablets(table)) {
      Picture.ownerOf(tablet, live)
          .ifPresent(
              owner -> served.computeIfAbsent(owner, any -> new ArrayList<>()).add(tablet.key()));
    }
    return served;
  }

  private void unload(LiveServer server, List<TabletKey> tablets) {
    try {
      master
          .orders()
          .call(
              server,
              "unload " + tablets.size() + " tablets",
              control -> control.unload(master.parts().token(), tablets))
          .stream()
          .flatMap(outcome -> outcome.problem().stream())
          .findFirst()
          .ifPresent(
              problem -> {
                throw problem;
              });
    } catch (SteleException e) {
      if (live().contains(server)) {
        throw e;
      }
      // It is gone, and so are the tablets it had.
    }
  }

  /** Empties a table. */
  public void truncate(String table) {
    checkChangeable(table);
    tell(
        owners(table),
        "empty table \"" + table + "\"",
        control -> control.truncate(master.parts().token(), table));
  }

  // ---- tablets

  @Override
  public List<TabletInfo> tablets(String table) {
    Set<LiveServer> owners = owners(table);
    return new TabletListing(master.parts(), master.orders(), master.settings())
        .list(table, owners);
  }

  /** Asks the server of a tablet something, and again where the tablet has gone to. */
  private <T> T atOwner(
      String table, Bytes row, String what, BiFunction<TabletControl, TabletKey, T> order) {
    for (int attempt = 1; ; attempt++) {
      TabletConfig tablet = find(table, row);
      try (Reservation _ =
          master.reservations().takeAll(List.of(tablet.key()), master.settings().patience())) {
        return master
            .orders()
            .call(ownerOf(tablet), what, control -> order.apply(control, tablet.key()));
      } catch (NotServingException | UnavailableException e) {
        if (attempt == ATTEMPTS) {
          throw e;
        }
        awaitServed(table);
      }
    }
  }

  @Override
  public Bytes split(String table, Bytes at, Bytes row) {
    Optional<Bytes> where = row.isEmpty() ? Optional.empty() : Optional.of(row);
    return atOwner(
        table,
        where.orElse(at),
        "split a tablet",
        (control, tablet) -> control.split(master.parts().token(), tablet, where));
  }

  /** The two are brought to one server first: that of the lower one. */
  @Override
  public void join(String table, Bytes row) {
    TabletConfig lower = find(table, row);
    TabletConfig upper = behind(lower);
    List<TabletKey> both = List.of(lower.key(), upper.key());
    try (Reservation _ = master.reservations().takeAll(both, master.settings().patience())) {
      TabletConfig now = find(table, row);
      TabletConfig next = behind(now);
      if (!List.of(now.key(), next.key()).equals(both)) {
        throw new UnavailableException(lower.key() + " was split or joined meanwhile: try again");
      }
      master.joiner().join(now, next);
    }
  }

  private TabletConfig behind(TabletConfig lower) {
    Bytes last =
        lower
            .last()
            .orElseThrow(
                () ->
                    new InvalidRequestException(
                        lower.key() + " is the last one: there is none behind it to join with"));
    return find(lower.table(), last.successor());
  }

  @Override
  public void flush(String table) {
    tell(owners(table), "flush table \"" + table + "\"", control -> control.flush(table));
  }

  @Override
  public void compact(String table) {
    tell(owners(table), "compact table \"" + table + "\"", control -> control.compact(table));
  }

  // ---- META

  @Override
  public List<MetaProblem> verifyMeta(String table) {
    MetaVerifier verifier = verifier();
    List<MetaProblem> problems = new ArrayList<>();
    named(table).forEach(name -> problems.addAll(meta.verify(name, verifier)));
    return problems;
  }

  @Override
  public List<MetaProblem> repairMeta(String table, boolean apply) {
    MetaVerifier verifier = verifier();
    List<MetaProblem> problems = new ArrayList<>();
    named(table).forEach(name -> problems.addAll(meta.repair(name, verifier, apply)));
    master.wake(); // what could not be served until now
    return problems;
  }

  private List<String> named(String table) {
    return table.isEmpty() ? list(true) : List.of(table);
  }

  private MetaVerifier verifier() {
    Set<String> addresses = live().stream().map(LiveServer::address).collect(Collectors.toSet());
    return new MetaFiles(master.parts().files()).verifier(addresses::contains);
  }

  // ---- what a cluster has no use for, or does by itself

  @Override
  public void loadFixedTable(String table, String configFile) {
    throw new InvalidRequestException(
        "table \""
            + table
            + "\" by file "
            + configFile
            + ": fixed tables are for servers that run alone; create the table instead");
  }

  @Override
  public void unloadTable(String table) {
    throw new InvalidRequestException(
        "table \"" + table + "\" cannot be unloaded: in a cluster every table is always served");
  }

  @Override
  public void loadTable(String table) {
    check(table);
    awaitServed(table);
  }

  @Override
  public void setMetaLocation(String address) {
    var _ = master.move(TableNames.META0, Bytes.EMPTY, address);
  }
}
