package io.stele.server.replicas;

import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.event.Subscription;
import io.stele.client.metastore.KeyValue;
import io.stele.client.metastore.Keys;
import io.stele.client.metastore.MetastoreClient;
import io.stele.client.metastore.Step;
import io.stele.client.metastore.Transaction;
import io.stele.replicas.metadata.Coordination;
import io.stele.replicas.metadata.TableConfig;
import io.stele.replicas.metadata.TableConfigText;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Keeps replicated tables and their servers in the metastore, wherever that is: see {@link
 * ReplicaKeys}. A version is the revision that modified a key.
 *
 * <p>When the server stops, those who wait for the metastore are told so at once, and not when it
 * has been given up.
 */
final class MetastoreCoordination implements Coordination {
  private static final String STOPPING = "this server is stopping";
  private static final Executor THREADS =
      task -> Thread.ofVirtual().name("stele-coordination").start(task);

  private final MetastoreClient metastore;
  private final Predicate<String> otherKinds;
  private final BooleanSupplier leads;
  private final CompletableFuture<Void> stopping = new CompletableFuture<>();

  /**
   * The metastore as a server of replicated tables sees it.
   *
   * @param otherKinds whether there is a table of this name that is not a replicated one
   * @param leads whether this server looks after all tables
   */
  MetastoreCoordination(
      MetastoreClient metastore, Predicate<String> otherKinds, BooleanSupplier leads) {
    this.metastore = metastore;
    this.otherKinds = otherKinds;
    this.leads = leads;
  }

  /** Answers nothing any more. */
  void stop() {
    stopping.complete(null);
  }

  boolean isStopped() {
    return stopping.isDone();
  }

  private <T> T look(Supplier<T> question) {
    return ask(question, () -> new UnavailableException(STOPPING));
  }

  private boolean change(Transaction transaction) {
    return ask(() -> transaction.commit().succeeded(), () -> new OutcomeUnknownException(STOPPING));
  }

  private <T> T ask(Supplier<T> question, Supplier<SteleException> whenStopped) {
    CompletableFuture<T> answer = CompletableFuture.supplyAsync(question, THREADS);
    try {
      Object _ = CompletableFuture.anyOf(answer, stopping).join();
      if (!answer.isDone()) {
        throw whenStopped.get();
      }
      return answer.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof SteleException problem ? problem : e;
    }
  }

  @Override
  public List<Kept> tables() {
    return look(this::allTables);
  }

  private List<Kept> allTables() {
    List<Kept> tables = new ArrayList<>();
    for (KeyValue key : metastore.range(Keys.prefix(ReplicaKeys.TABLES))) {
      tables.add(kept(key));
    }
    tables.sort(Comparator.comparing(kept -> kept.config().name()));
    return tables;
  }

  @Override
  public Optional<Kept> table(String name) {
    return look(() -> metastore.get(ReplicaKeys.table(name)).map(MetastoreCoordination::kept));
  }

  private static Kept kept(KeyValue key) {
    return new Kept(
        TableConfigText.read(
            "key " + key.key() + " of the metastore", ReplicaKeys.nameOf(key.key()), key.text()),
        key.modified());
  }

  @Override
  public boolean create(TableConfig config) {
    String key = ReplicaKeys.table(config.name());
    return !otherKinds.test(config.name())
        && change(
            metastore
                .transaction()
                .when(key)
                .isAbsent()
                .then(Step.put(key, TableConfigText.write(config))));
  }

  @Override
  public boolean replace(TableConfig config, long version) {
    String key = ReplicaKeys.table(config.name());
    return change(
        metastore
            .transaction()
            .when(key)
            .modified()
            .isEqualTo(version)
            .then(Step.put(key, TableConfigText.write(config))));
  }

  @Override
  public boolean drop(TableConfig config, long version) {
    String key = ReplicaKeys.table(config.name());
    Step record = Step.put(ReplicaKeys.dropped(config.id()), config.name());
    return change(
        version == UNLISTED
            ? metastore.transaction().then(record)
            : metastore
                .transaction()
                .when(key)
                .modified()
                .isEqualTo(version)
                .then(Step.delete(key))
                .then(record));
  }

  @Override
  public boolean isDropped(String table) {
    return look(() -> metastore.get(ReplicaKeys.dropped(table)).isPresent());
  }

  @Override
  public Optional<String> cluster() {
    return look(() -> metastore.get(ReplicaKeys.CLUSTER).map(KeyValue::text));
  }

  @Override
  public boolean nameCluster(Optional<String> expected, String id) {
    return change(
        (expected.isEmpty()
                ? metastore.transaction().when(ReplicaKeys.CLUSTER).isAbsent()
                : metastore
                    .transaction()
                    .when(ReplicaKeys.CLUSTER)
                    .value()
                    .isEqualTo(expected.get()))
            .then(Step.put(ReplicaKeys.CLUSTER, id)));
  }

  @Override
  public List<LiveServer> servers() {
    return look(this::liveServers);
  }

  private List<LiveServer> liveServers() {
    List<LiveServer> servers = new ArrayList<>();
    for (KeyValue key : metastore.range(Keys.prefix(ReplicaKeys.SERVERS))) {
      servers.add(ServerText.server(key.key(), key.text()));
    }
    return servers;
  }

  @Override
  public Subscription watch(Runnable changed) {
    LastingWatch watch = new LastingWatch(metastore, Keys.prefix(ReplicaKeys.ALL), changed);
    watch.start();
    return watch;
  }

  @Override
  public boolean leads() {
    return leads.getAsBoolean();
  }
}
