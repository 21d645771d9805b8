package io.stele.server.replicas;

import io.stele.base.event.Subscription;
import io.stele.client.metastore.KeyValue;
import io.stele.client.metastore.Keys;
import io.stele.client.metastore.MetastoreClient;
import io.stele.client.metastore.Step;
import io.stele.replicas.metadata.Coordination;
import io.stele.replicas.metadata.TableConfig;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/**
 * Keeps replicated tables and their servers in the metastore, wherever that is: see {@link
 * ReplicaKeys}. A version is the revision that modified a key.
 */
final class MetastoreCoordination implements Coordination {
  private final MetastoreClient metastore;
  private final Predicate<String> otherKinds;
  private final BooleanSupplier leads;

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

  @Override
  public List<Kept> tables() {
    List<Kept> tables = new ArrayList<>();
    for (KeyValue key : metastore.range(Keys.prefix(ReplicaKeys.TABLES))) {
      tables.add(kept(key));
    }
    tables.sort(Comparator.comparing(kept -> kept.config().name()));
    return tables;
  }

  @Override
  public Optional<Kept> table(String name) {
    return metastore.get(ReplicaKeys.table(name)).map(MetastoreCoordination::kept);
  }

  private static Kept kept(KeyValue key) {
    return new Kept(ConfigText.table(key.key(), key.text()), key.modified());
  }

  @Override
  public boolean create(TableConfig config) {
    String key = ReplicaKeys.table(config.name());
    return !otherKinds.test(config.name())
        && metastore
            .transaction()
            .when(key)
            .isAbsent()
            .then(Step.put(key, ConfigText.write(config)))
            .commit()
            .succeeded();
  }

  @Override
  public boolean replace(TableConfig config, long version) {
    String key = ReplicaKeys.table(config.name());
    return metastore
        .transaction()
        .when(key)
        .modified()
        .isEqualTo(version)
        .then(Step.put(key, ConfigText.write(config)))
        .commit()
        .succeeded();
  }

  @Override
  public boolean delete(String name, long version) {
    String key = ReplicaKeys.table(name);
    return metastore
        .transaction()
        .when(key)
        .modified()
        .isEqualTo(version)
        .then(Step.delete(key))
        .commit()
        .succeeded();
  }

  @Override
  public List<LiveServer> servers() {
    List<LiveServer> servers = new ArrayList<>();
    for (KeyValue key : metastore.range(Keys.prefix(ReplicaKeys.SERVERS))) {
      servers.add(ConfigText.server(key.key(), key.text()));
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
