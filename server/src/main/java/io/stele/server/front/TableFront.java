package io.stele.server.front;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.NotServingException;
import io.stele.base.table.Replicas;
import io.stele.base.table.TableAdmin;
import io.stele.base.table.Tables;
import io.stele.base.table.TabletLocation;
import io.stele.base.table.TabletLocator;
import io.stele.gateway.nativeapi.NativeServer;
import io.stele.gateway.nativeapi.Serving;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a gateway is given to serve of tables. A server without replicated tables hands on its
 * tablet tables as they are; otherwise clients are given both kinds under one set of names, made
 * anew whenever what the server has of tablet tables changes.
 *
 * <pre>
 *   tablet server, or none ──┐
 *   master, or who it is ────┼──► rows, whole tables, places ──► gateway
 *   replicated tables ───────┘
 * </pre>
 */
public final class TableFront {
  private static final String NO_TABLETS =
      "this server serves no tablet tables: it is starting, or its roles do not have them";

  private final NativeServer gateway;
  private final Optional<ReplicatedKind> replicated;
  private final boolean tabletsExpected;
  private final ReentrantLock creating = new ReentrantLock();

  private final AtomicReference<@Nullable Tables> tablets = new AtomicReference<>();
  private final AtomicReference<@Nullable TableAdmin> tabletAdmin = new AtomicReference<>();
  private final AtomicReference<@Nullable TabletLocator> tabletLocator = new AtomicReference<>();
  private volatile Supplier<Optional<String>> master = Optional::empty;

  // What the gateway has at present; guarded by this.
  private @Nullable Serving rows;
  private @Nullable Serving whole;
  private @Nullable Serving places;

  /**
   * Serves what there is already.
   *
   * @param replicated none for a server that has no replicated tables
   * @param tabletsExpected whether there are tablet tables here or elsewhere in its cluster
   */
  public TableFront(
      NativeServer gateway, Optional<ReplicatedKind> replicated, boolean tabletsExpected) {
    this.gateway = gateway;
    this.replicated = replicated;
    this.tabletsExpected = tabletsExpected;
    publishPlaces();
    publishWhole();
    publishRows();
  }

  // ---- tablet tables

  /** Serves tablet tables, all of which are here. */
  public Serving serve(Tables served, TableAdmin admin) {
    Serving wholes = serveAdmin(admin);
    Serving theirRows = serveRows(served);
    return () -> {
      wholes.close();
      theirRows.close();
    };
  }

  /** Serves the rows of tablet tables; see {@link NativeServer#serveRows}. */
  public synchronized Serving serveRows(Tables served) {
    tablets.set(served);
    publishRows();
    return () -> endRows(served);
  }

  private synchronized void endRows(Tables served) {
    if (tablets.compareAndSet(served, null)) {
      publishRows();
    }
  }

  /** Serves what is done to tablet tables as a whole. */
  public synchronized Serving serveAdmin(TableAdmin admin) {
    tabletAdmin.set(admin);
    publishWhole();
    return () -> endAdmin(admin);
  }

  private synchronized void endAdmin(TableAdmin admin) {
    if (tabletAdmin.compareAndSet(admin, null)) {
      publishWhole();
    }
  }

  /** Tells on which servers of a cluster tablets are. */
  public synchronized Serving serve(TabletLocator locator) {
    tabletLocator.set(locator);
    publishPlaces();
    return () -> endPlaces(locator);
  }

  private synchronized void endPlaces(TabletLocator locator) {
    if (tabletLocator.compareAndSet(locator, null)) {
      publishPlaces();
    }
  }

  /** Who is asked instead while this server does not lead its cluster. */
  public void sendToMaster(Supplier<Optional<String>> known) {
    master = known;
    gateway.sendToMaster(known);
  }

  // ---- both kinds

  private synchronized void publishRows() {
    rows = publish(rows, bothRows(), tablets.get(), gateway::serveRows);
  }

  private synchronized void publishWhole() {
    whole = publish(whole, bothWhole(), tabletAdmin.get(), gateway::serveAdmin);
  }

  private synchronized void publishPlaces() {
    places = publish(places, bothPlaces(), tabletLocator.get(), gateway::serve);
  }

  private interface Publishing<T> {
    Serving serve(T service);
  }

  /** Puts both kinds, or else the tablet kind alone, in the place of what was served before. */
  private static <T> @Nullable Serving publish(
      @Nullable Serving before, Optional<T> both, @Nullable T alone, Publishing<T> gateway) {
    Optional<T> now = both.or(() -> Optional.ofNullable(alone));
    Serving served = now.map(gateway::serve).orElse(null);
    if (before != null) {
      before.close(); // does nothing to what took its place
    }
    return served;
  }

  private Optional<Tables> bothRows() {
    Tables served = tablets.get();
    return replicated.map(
        kind ->
            new TablesByKind(
                new Kinds(kind),
                kind::rows,
                table -> orNone(served, table),
                () -> Optional.ofNullable(served)));
  }

  private <T> T orNone(@Nullable T served, String table) {
    if (served != null) {
      return served;
    }
    throw tabletsExpected
        ? new NotServingException(NO_TABLETS)
        : new NotFoundException(AdminByKind.none(table));
  }

  private Optional<TableAdmin> bothWhole() {
    return replicated.map(kind -> new AdminByKind(kind, this::tabletAdmin, creating));
  }

  /** None where there are no tablet tables; the master is asked where it is another. */
  private Optional<TableAdmin> tabletAdmin() {
    TableAdmin served = tabletAdmin.get();
    if (served == null && tabletsExpected) {
      throw master
          .get()
          .map(
              address ->
                  new NotServingException("this server is not the master of a cluster", address))
          .orElseGet(() -> new NotServingException(NO_TABLETS));
    }
    return Optional.ofNullable(served);
  }

  private Optional<TabletLocator> bothPlaces() {
    return replicated.map(
        kind -> {
          Kinds kinds = new Kinds(kind);
          return (table, row, most) ->
              kinds.ask(
                  table,
                  kind::locator,
                  () -> placesOfTablets(kinds, table),
                  locator -> locator.locate(table, row, most));
        });
  }

  /** Without a locator, tablets are all here; a table that is not of their kind is not. */
  private TabletLocator placesOfTablets(Kinds kinds, String table) {
    TabletLocator locator = tabletLocator.get();
    if (locator != null) {
      return locator;
    }
    Tables _ = orNone(tablets.get(), table);
    if (kinds.isReplicated(table)) {
      throw new NotFoundException(AdminByKind.none(table));
    }
    return (_, _, _) ->
        List.of(new TabletLocation(Bytes.EMPTY, Optional.empty(), TabletLocation.HERE));
  }

  // ---- within this process

  /** Whether there is a tablet table of this name; {@code NotServing} if others must be asked. */
  public boolean hasTabletTable(String table) {
    return replicated
        .map(kind -> new AdminByKind(kind, this::tabletAdmin, creating).hasTablets(table))
        .orElse(false);
  }

  /** What people ask of replicated tables, who may ask it of others. */
  public Replicas replicas(Replicas served) {
    return new ReplicasOfKind(served, this::hasTabletTable);
  }

  /** Rows, as clients of this process see them. */
  public Tables rows() {
    return bothRows().orElseGet(() -> orNone(tablets.get(), ""));
  }

  /** The same at the time of each request, for those who keep it. */
  public Tables lastingRows() {
    return new FrontTables(this::rows);
  }

  /** Whole tables at the time of each request, for those who keep it. */
  public TableAdmin lastingWhole() {
    return new FrontAdmin(this::whole);
  }

  /** Whole tables, as clients of this process see them. */
  public TableAdmin whole() {
    return bothWhole().orElseGet(() -> orNone(tabletAdmin.get(), ""));
  }
}
