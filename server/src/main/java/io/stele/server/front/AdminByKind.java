package io.stele.server.front;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.MetaProblem;
import io.stele.base.table.TableAdmin;
import io.stele.base.table.TabletInfo;
import io.stele.tables.meta.TableNames;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Tables of both kinds as a whole. Names are shared: whoever makes tablet tables (the master of a
 * cluster, or a server by itself) also makes the replicated ones, one at a time.
 */
final class AdminByKind implements TableAdmin {
  private final Kinds kinds;
  private final ReplicatedKind replicated;
  private final Supplier<Optional<TableAdmin>> tablets;
  private final ReentrantLock creating;

  /**
   * Both kinds.
   *
   * @param tablets none if there are no tablet tables to be had here; throws {@code NotServing} if
   *     others, or nobody at the moment, can be asked
   * @param creating held while a table is made
   */
  AdminByKind(
      ReplicatedKind replicated, Supplier<Optional<TableAdmin>> tablets, ReentrantLock creating) {
    this.kinds = new Kinds(replicated);
    this.replicated = replicated;
    this.tablets = tablets;
    this.creating = creating;
  }

  private <R> R ask(String table, Function<TableAdmin, R> question) {
    return kinds.ask(table, replicated::admin, () -> tabletsFor(table), question);
  }

  private void tell(String table, Consumer<TableAdmin> order) {
    boolean _ =
        ask(
            table,
            admin -> {
              order.accept(admin);
              return true;
            });
  }

  private TableAdmin tabletsFor(String table) {
    return tablets.get().orElseThrow(() -> new NotFoundException(none(table)));
  }

  static String none(String table) {
    return "there is no table \"" + table + "\"";
  }

  /** Whether there is a tablet table of this name. */
  boolean hasTablets(String table) {
    Optional<TableAdmin> asked = tablets.get();
    if (asked.isEmpty()) {
      return false;
    }
    try {
      TableSchema _ = asked.get().schema(table);
      return true;
    } catch (NotFoundException e) {
      return false;
    }
  }

  @Override
  public void create(String table, TableSchema schema, List<Bytes> splits) {
    creating.lock();
    try {
      if (schema.replication().isPresent()) {
        TableNames.checkNew(table);
        if (hasTablets(table)) {
          throw new ConflictException(
              "table \"" + table + "\" exists already, as a tablet table: choose another name");
        }
        replicated.admin().create(table, schema, splits);
      } else {
        TableAdmin made =
            tablets
                .get()
                .orElseThrow(
                    () ->
                        new InvalidRequestException(
                            "table \""
                                + table
                                + "\" without replicas: the servers here keep replicated tables"
                                + " only; make it one of the kind replicated, or set"
                                + " tables.shared"));
        if (replicated.look(table)) {
          throw new ConflictException(
              "table \"" + table + "\" exists already, as a replicated table: choose another name");
        }
        made.create(table, schema, splits);
      }
    } finally {
      creating.unlock();
    }
  }

  @Override
  public List<String> list(boolean withMeta) {
    TreeSet<String> names = new TreeSet<>(replicated.admin().list(false));
    tablets.get().ifPresent(admin -> names.addAll(admin.list(withMeta)));
    return List.copyOf(names);
  }

  @Override
  public TableSchema schema(String table) {
    return ask(table, admin -> admin.schema(table));
  }

  @Override
  public List<TabletInfo> tablets(String table) {
    return ask(table, admin -> admin.tablets(table));
  }

  @Override
  public void alter(String table, Optional<TableSchema> expected, TableSchema schema) {
    boolean wanted = schema.replication().isPresent();
    boolean found = schema(table).replication().isPresent();
    if (wanted != found) {
      throw new InvalidRequestException(
          "table \""
              + table
              + "\" is a "
              + kind(found)
              + " table, and the schema is of a "
              + kind(wanted)
              + " table: the kind of a table stays as it is");
    }
    tell(table, admin -> admin.alter(table, expected, schema));
  }

  private static String kind(boolean isReplicated) {
    return isReplicated ? "replicated" : "tablet";
  }

  @Override
  public void drop(String table) {
    tell(table, admin -> admin.drop(table));
  }

  @Override
  public void copy(String source, String target) {
    creating.lock();
    try {
      if (replicated.look(target)) {
        throw new ConflictException(
            "table \"" + target + "\" exists already, as a replicated table: choose another name");
      }
      tell(source, admin -> admin.copy(source, target));
    } finally {
      creating.unlock();
    }
  }

  @Override
  public Bytes split(String table, Bytes at, Bytes row) {
    return ask(table, admin -> admin.split(table, at, row));
  }

  @Override
  public void join(String table, Bytes row) {
    tell(table, admin -> admin.join(table, row));
  }

  @Override
  public void flush(String table) {
    tell(table, admin -> admin.flush(table));
  }

  @Override
  public void compact(String table) {
    tell(table, admin -> admin.compact(table));
  }

  /** Without a table, of all: META has the tablet tables only. */
  @Override
  public List<MetaProblem> verifyMeta(String table) {
    return table.isEmpty()
        ? tablets.get().map(admin -> admin.verifyMeta(table)).orElse(List.of())
        : ask(table, admin -> admin.verifyMeta(table));
  }

  @Override
  public List<MetaProblem> repairMeta(String table, boolean apply) {
    return table.isEmpty()
        ? tablets.get().map(admin -> admin.repairMeta(table, apply)).orElse(List.of())
        : ask(table, admin -> admin.repairMeta(table, apply));
  }

  @Override
  public void loadFixedTable(String table, String configFile) {
    tell(table, admin -> admin.loadFixedTable(table, configFile));
  }

  @Override
  public void unloadTable(String table) {
    tell(table, admin -> admin.unloadTable(table));
  }

  @Override
  public void loadTable(String table) {
    tell(table, admin -> admin.loadTable(table));
  }

  @Override
  public void setMetaLocation(String address) {
    tablets
        .get()
        .orElseThrow(
            () ->
                new InvalidRequestException(
                    "META at " + address + ": the servers here keep no tablet tables, and no META"))
        .setMetaLocation(address);
  }
}
