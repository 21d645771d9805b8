package io.stele.gateway.nativeapi;

import io.stele.base.dataset.Datasets;
import io.stele.base.error.NotServingException;
import io.stele.base.node.NodeReport;
import io.stele.base.table.Cluster;
import io.stele.base.table.Replicas;
import io.stele.base.table.TableAdmin;
import io.stele.base.table.Tables;
import io.stele.base.table.TabletLocator;
import io.stele.base.time.RandomSource;
import io.stele.metastore.Metastore;
import io.stele.replicas.metadata.MetadataPeer;
import io.stele.replicas.push.ReplicaPeer;
import io.stele.tables.master.TabletControl;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What stands behind the services. A server listens before it has anything to serve: its address
 * must be known before it can join a group, and those that join ask it. In a cluster it becomes and
 * stops being the master, and may lose its tables and begin anew.
 */
final class Backend {
  private static final String NO_TABLES =
      "this server serves no tables: it is starting, or its roles do not have them";
  private static final String NO_REPLICAS =
      "this server serves no replicated tables: it is starting, or its roles do not have replicas";
  private static final String NOT_MASTER = "this server is not the master of a cluster";

  /** One of the things that can be served. */
  private static final class Slot<T> {
    private final AtomicReference<@Nullable T> served = new AtomicReference<>();

    Serving serve(T service) {
      served.set(service);
      return () -> served.compareAndSet(service, null);
    }

    @Nullable T now() {
      return served.get();
    }
  }

  /**
   * Tables as they are served.
   *
   * @param incarnation tells them from those that were served before, here or by another server at
   *     this address: transactions are theirs alone; not 0
   */
  record ServedTables(Tables tables, long incarnation) {}

  private final Slot<Metastore> metastore = new Slot<>();
  private final Slot<MemberAdmin> admin = new Slot<>();
  private final Slot<ServedTables> tables = new Slot<>();
  private final Slot<TableAdmin> tableAdmin = new Slot<>();
  private final Slot<TabletLocator> locator = new Slot<>();
  private final Slot<TabletControl> control = new Slot<>();
  private final Slot<Cluster> cluster = new Slot<>();
  private final Slot<MetadataPeer> metadataPeer = new Slot<>();
  private final Slot<ReplicaPeer> replicaPeer = new Slot<>();
  private final Slot<Replicas> replicas = new Slot<>();
  private final Slot<Datasets> datasets = new Slot<>();
  private volatile Supplier<Optional<String>> master = Optional::empty;
  private volatile Supplier<Optional<String>> tableServer = Optional::empty;
  private volatile @Nullable Supplier<NodeReport> inspection;

  Serving serve(Metastore served) {
    return metastore.serve(served);
  }

  Serving serve(MemberAdmin served) {
    return admin.serve(served);
  }

  Serving serve(Tables served) {
    return tables.serve(new ServedTables(served, incarnation()));
  }

  private static long incarnation() {
    long made = RandomSource.system().nextLong();
    return made == 0 ? 1 : made;
  }

  Serving serve(TableAdmin served) {
    return tableAdmin.serve(served);
  }

  Serving serve(TabletLocator served) {
    return locator.serve(served);
  }

  Serving serve(TabletControl served) {
    return control.serve(served);
  }

  Serving serve(Cluster served) {
    return cluster.serve(served);
  }

  Serving serve(MetadataPeer served) {
    return metadataPeer.serve(served);
  }

  Serving serve(ReplicaPeer served) {
    return replicaPeer.serve(served);
  }

  Serving serve(Replicas served) {
    return replicas.serve(served);
  }

  Serving serve(Datasets served) {
    return datasets.serve(served);
  }

  Datasets datasets() {
    Datasets served = datasets.now();
    if (served == null) {
      throw new NotServingException(
          "this server serves no datasets: it is starting, or its roles do not have them");
    }
    return served;
  }

  void inspectBy(Supplier<NodeReport> looking) {
    inspection = looking;
  }

  NodeReport inspect() {
    Supplier<NodeReport> looking = inspection;
    if (looking == null) {
      throw new NotServingException("this server is starting");
    }
    return looking.get();
  }

  void masterIs(Supplier<Optional<String>> known) {
    master = known;
  }

  void tableServerIs(Supplier<Optional<String>> known) {
    tableServer = known;
  }

  Tables tables() {
    ServedTables served = tablesIfServed();
    if (served == null) {
      throw noTables();
    }
    return served.tables();
  }

  /** Where there are some, if that is known. */
  private NotServingException noTables() {
    return new NotServingException(NO_TABLES, tableServer.get().orElse(null));
  }

  /** The tables that are served, or the error that none are. */
  static Tables orNoTables(@Nullable ServedTables served) {
    if (served == null) {
      throw new NotServingException(NO_TABLES);
    }
    return served.tables();
  }

  @Nullable ServedTables tablesIfServed() {
    return tables.now();
  }

  TableAdmin tableAdmin() {
    TableAdmin served = tableAdmin.now();
    if (served == null) {
      throw master
          .get()
          .map(address -> new NotServingException(NOT_MASTER, address))
          .orElseGet(this::noTables);
    }
    return served;
  }

  Cluster cluster() {
    Cluster served = cluster.now();
    if (served == null) {
      throw new NotServingException(NOT_MASTER, master.get().orElse(null));
    }
    return served;
  }

  /** How tablets are found; nothing where they are all here. */
  Optional<TabletLocator> locator() {
    TabletLocator served = locator.now();
    if (served == null) {
      tables(); // or the error that none are here
    }
    return Optional.ofNullable(served);
  }

  TabletControl control() {
    TabletControl served = control.now();
    if (served == null) {
      throw new NotServingException("this server has no tablets of a cluster, or not yet");
    }
    return served;
  }

  MetadataPeer metadataPeer() {
    return orNoReplicas(metadataPeer.now());
  }

  ReplicaPeer replicaPeer() {
    return orNoReplicas(replicaPeer.now());
  }

  Replicas replicas() {
    return orNoReplicas(replicas.now());
  }

  private static <T> T orNoReplicas(@Nullable T served) {
    if (served == null) {
      throw new NotServingException(NO_REPLICAS);
    }
    return served;
  }

  Metastore metastore() {
    Metastore served = metastore.now();
    if (served == null) {
      throw new NotServingException(
          "this server serves no metastore yet: it is starting, or waits to be bootstrapped, added"
              + " to a group or restored");
    }
    return served;
  }

  Optional<Metastore> metastoreIfServed() {
    return Optional.ofNullable(metastore.now());
  }

  MemberAdmin admin() {
    MemberAdmin served = admin.now();
    if (served == null) {
      throw new NotServingException(
          "this server holds no part of a metastore: it is starting, or its roles do not have it");
    }
    return served;
  }
}
