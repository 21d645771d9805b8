package io.stele.server;

import io.stele.base.bytes.Bytes;
import io.stele.base.dataset.DatasetStatus;
import io.stele.base.dataset.Datasets;
import io.stele.base.dataset.VersionState;
import io.stele.base.dataset.VersionStatus;
import io.stele.base.error.UnavailableException;
import io.stele.base.event.Events;
import io.stele.base.file.FileStore;
import io.stele.base.file.FileStores;
import io.stele.base.file.LocalFileStore;
import io.stele.base.settings.Settings;
import io.stele.base.time.Clock;
import io.stele.base.time.RandomSource;
import io.stele.base.tls.Tls;
import io.stele.client.call.CallSettings;
import io.stele.client.metastore.ClientSettings;
import io.stele.client.metastore.MetastoreClient;
import io.stele.datasets.serve.DatasetNode;
import io.stele.datasets.serve.DatasetPeer;
import io.stele.datasets.serve.PeerAnswer;
import io.stele.datasets.serve.SoloMap;
import io.stele.datasets.shard.InputKinds;
import io.stele.gateway.http.DatasetServer;
import io.stele.gateway.http.HttpPeers;
import io.stele.gateway.nativeapi.NativeServer;
import io.stele.gateway.security.PortSecurity;
import io.stele.server.dataset.SharedState;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A server's datasets. Versions are found in the directory {@code datasets} of the server's, or
 * where the settings say; what is loaded of them is in the directory {@code dataset-shards}.
 */
final class DatasetsRole implements AutoCloseable {
  private static final Duration PEER_PATIENCE = Duration.ofSeconds(10);

  /** Where a node alone would ask others. */
  private static final class NoPeers implements DatasetPeer {
    @Override
    public CompletableFuture<List<PeerAnswer>> get(
        String address, String dataset, String version, int shards, List<Bytes> keys) {
      return none(address);
    }

    @Override
    public CompletableFuture<List<DatasetStatus>> status(String address) {
      return none(address);
    }

    private static <T> CompletableFuture<T> none(String address) {
      return CompletableFuture.failedFuture(
          new UnavailableException(address + ": this server belongs to no cluster of datasets"));
    }
  }

  private final Parts parts;
  private final DatasetNode node;

  private DatasetsRole(Parts parts, DatasetNode node) {
    this.parts = parts;
    this.node = node;
  }

  /**
   * Opens what was loaded before, begins to look for versions, and has both gateways serve them.
   *
   * @param data the server's directory
   * @param listen the host to listen on; nothing for a server that listens nowhere
   * @param metastore the addresses of members, for a node of a cluster
   * @param nodes how servers prove themselves to each other, where connections are secured
   * @param security of its port, if that is secured
   */
  static DatasetsRole start(
      Settings settings,
      Path data,
      Addresses addresses,
      Optional<String> listen,
      List<String> metastore,
      NativeServer gateway,
      Optional<Tls> nodes,
      Optional<PortSecurity> security,
      Events events)
      throws IOException {
    DatasetsSettings known = settings.bind(DatasetsSettings.class, ServerSchema.DATASETS);
    Parts parts = new Parts(events);
    boolean started = false;
    try {
      FileStore source = parts.add("the source of datasets", source(known, data));
      Optional<DatasetServer> http =
          listen.map(
              host ->
                  parts.add(
                      "datasets over HTTP",
                      DatasetServer.listen(
                          host,
                          Addresses.port(addresses.datasetsAddress()),
                          known.contentType(),
                          security)));
      Optional<SharedState> shared =
          listen.isEmpty() || known.cluster().isEmpty()
              ? Optional.empty()
              : Optional.of(
                  parts.add(
                      "what nodes of datasets share",
                      shared(known, known.cluster().get(), addresses, metastore, nodes, events)));
      DatasetPeer peers =
          shared.isEmpty()
              ? new NoPeers()
              : parts.add("the way to other nodes", new HttpPeers(PEER_PATIENCE, nodes));
      DatasetNode node =
          parts.add(
              "datasets",
              DatasetNode.open(
                  new DatasetNode.Parts(
                      addresses.datasetsAddress(),
                      known.node(),
                      source,
                      InputKinds.onClassPath(),
                      data.resolve("dataset-shards"),
                      shared.isPresent() ? shared.get() : new SoloMap(),
                      shared.map(SharedState::pins),
                      peers,
                      Clock.system(),
                      RandomSource.system(),
                      events)));
      http.ifPresent(server -> server.serve(node));
      parts.add("datasets over the native interface", gateway.serve((Datasets) node));
      started = true;
      return new DatasetsRole(parts, node);
    } finally {
      if (!started) {
        parts.close();
      }
    }
  }

  private static FileStore source(DatasetsSettings known, Path data) throws IOException {
    return known.source().isPresent()
        ? FileStores.open(known.source().get())
        : LocalFileStore.open(data.resolve("datasets"));
  }

  private static SharedState shared(
      DatasetsSettings known,
      String cluster,
      Addresses addresses,
      List<String> metastore,
      Optional<Tls> nodes,
      Events events) {
    CallSettings defaults = CallSettings.DEFAULTS;
    Duration attempt = known.session().dividedBy(4);
    CallSettings calls =
        defaults
            .withTls(nodes)
            .withPrincipal(MetastoreRootStore.PRINCIPAL)
            .withTimeout(known.session()) // longer than that nothing is worth waiting for
            .withAttemptTimeout( // soon enough for a session to be renewed elsewhere
                attempt.compareTo(defaults.attemptTimeout()) < 0
                    ? attempt
                    : defaults.attemptTimeout());
    ClientSettings client = ClientSettings.DEFAULTS.withCalls(calls).withDeduplicate(false);
    return new SharedState(
        () -> new MetastoreClient(metastore, client),
        cluster,
        "datasets " + addresses.datasetsAddress(),
        known.session(),
        Clock.system(),
        events::publish);
  }

  DatasetNode datasets() {
    return node;
  }

  /**
   * Why it cannot be sent all lookups yet, if so: a dataset's first version is being loaded. One
   * that cannot be loaded does not count, as it would keep all others from clients.
   */
  Optional<String> problem() {
    if (!node.looked()) {
      return Optional.of("the source of datasets has not been looked at yet");
    }
    return node.ownStatus().stream()
        .filter(dataset -> dataset.serving().isEmpty())
        .flatMap(
            dataset ->
                dataset.versions().stream()
                    .filter(DatasetsRole::isLoading)
                    .map(
                        version ->
                            "version %s of dataset %s is being loaded"
                                .formatted(version.version(), dataset.dataset())))
        .findFirst();
  }

  private static boolean isLoading(VersionStatus version) {
    return version.nodes().stream().anyMatch(own -> own.state() == VersionState.BUILDING);
  }

  @Override
  public void close() {
    parts.close();
  }
}
