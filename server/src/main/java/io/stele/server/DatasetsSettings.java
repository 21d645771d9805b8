package io.stele.server;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.settings.About;
import io.stele.base.settings.ByteSize;
import io.stele.datasets.serve.DatasetSettings;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;

/** Where datasets come from, who serves them together, and when they are tended. */
public record DatasetsSettings(
    @About(
            "Where versions are found, a directory or a URI; datasets in the server's where none is"
                + " set.")
        Optional<String> source,
    @About(
            "The port for HTTP; 0 picks a free one. 9599 where none is set and server.port is 7835,"
                + " a free one otherwise.")
        Optional<Integer> port,
    @About("The content type of values over HTTP.") String contentType,
    @About(
            "The name of a cluster whose nodes share the shards; this server has all where none is"
                + " set.")
        Optional<String> cluster,
    @About("How long a node of a cluster may be silent before others count on it no more.")
        Duration session,
    @About("Whether a version is loaded only when it has a file _SUCCESS.") boolean requireSuccess,
    @About("How often the source is looked at for new versions; 0s to look only when told to.")
        Duration refreshEvery,
    @About("How many nodes load each shard of a version.") int replication,
    @About("How many nodes must have each shard before clients get a version.") int minReplication,
    @About("How long the list of nodes must stay the same before a starting node chooses shards.")
        Duration timeToConverge,
    @About("How long other nodes may take to answer, all together.") Duration proxyTimeout,
    @About("After how long another node is asked as well; 0s for proxy-timeout / replication.")
        Duration proxyStageTimeout,
    @About("How long an old version is kept after the last request for it.") Duration keepOld,
    @About("The most input files that are read at the same time.") int parallelLoads,
    @About("The most bytes of input that are read in a second; 0B for no limit.") ByteSize loadRate,
    @About("Whether nodes take over shards that have lost holders.") boolean repair,
    @About("How long shards must have too few holders before nodes take them over.")
        Duration repairAfter) {

  /** That users of Sequins know. */
  public static final int DEFAULT_PORT = 9599;

  // Before the defaults, which are checked by them.
  private static final Pattern CLUSTER = Pattern.compile("[-_a-zA-Z0-9]{1,64}");
  private static final int MAX_PORT = 65_535;
  private static final Duration SHORTEST_SESSION = Duration.ofMillis(200);
  private static final DatasetSettings KNOWN = DatasetSettings.DEFAULT;

  public static final DatasetsSettings DEFAULTS =
      new DatasetsSettings(
          Optional.empty(),
          Optional.empty(),
          "application/octet-stream",
          Optional.empty(),
          Duration.ofSeconds(10),
          KNOWN.requireSuccess(),
          KNOWN.refreshEvery(),
          KNOWN.replication(),
          KNOWN.minReplication(),
          KNOWN.timeToConverge(),
          KNOWN.proxyTimeout(),
          KNOWN.proxyStageTimeout(),
          KNOWN.keepOld(),
          KNOWN.parallelLoads(),
          KNOWN.loadRate(),
          KNOWN.repair(),
          KNOWN.repairAfter());

  public DatasetsSettings {
    if (port.isPresent() && (port.get() < 0 || port.get() > MAX_PORT)) {
      throw new InvalidRequestException(
          "datasets.port is "
              + port.get()
              + ": must be from 1 to "
              + MAX_PORT
              + ", or 0 for a free one");
    }
    if (contentType.isBlank() || !contentType.chars().allMatch(c -> c >= ' ' && c < 0x7f)) {
      throw new InvalidRequestException(
          "datasets.content-type is '"
              + contentType
              + "': must be a type such as application/octet-stream");
    }
    if (cluster.isPresent()) {
      checkCluster(cluster.get(), source);
    }
    if (session.compareTo(SHORTEST_SESSION) < 0) {
      throw new InvalidRequestException(
          "datasets.session is "
              + session.toMillis()
              + "ms: must be at least "
              + SHORTEST_SESSION.toMillis()
              + "ms");
    }
    var _ =
        new DatasetSettings( // refuses what cannot be
            requireSuccess,
            refreshEvery,
            replication,
            minReplication,
            timeToConverge,
            proxyTimeout,
            proxyStageTimeout,
            keepOld,
            parallelLoads,
            loadRate,
            repair,
            repairAfter);
  }

  private static void checkCluster(String cluster, Optional<String> source) {
    if (!CLUSTER.matcher(cluster).matches()) {
      throw new InvalidRequestException(
          "datasets.cluster is '" + cluster + "': must be 1 to 64 letters, digits, _ or -");
    }
    if (source.isEmpty()) {
      throw new InvalidRequestException(
          "datasets.cluster is "
              + cluster
              + " and datasets.source is not set: must name the place where all nodes of the"
              + " cluster find versions, such as /mnt/datasets or hdfs://name-node/datasets");
    }
  }

  /** The settings of a node: one that is alone has all shards, and waits for nobody. */
  DatasetSettings node() {
    boolean alone = cluster.isEmpty();
    return new DatasetSettings(
        requireSuccess,
        refreshEvery,
        alone ? 1 : replication,
        alone ? 1 : minReplication,
        alone ? Duration.ZERO : timeToConverge,
        proxyTimeout,
        proxyStageTimeout,
        keepOld,
        parallelLoads,
        loadRate,
        !alone && repair,
        repairAfter);
  }

  /** The port to listen on; 0 for any. */
  int chosenPort(ServerSettings server) {
    return port.orElse(server.port() == ServerSettings.DEFAULT_PORT ? DEFAULT_PORT : 0);
  }
}
