package io.stele.client;

import io.stele.base.dataset.Datasets;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.UnavailableException;
import io.stele.base.node.Nodes;
import io.stele.base.table.Cluster;
import io.stele.base.table.Replicas;
import io.stele.base.table.TableAdmin;
import io.stele.base.table.Tables;
import io.stele.base.tls.Tls;
import io.stele.base.tls.TlsFiles;
import io.stele.client.dataset.DatasetTables;
import io.stele.client.embedded.EmbeddedProvider;
import io.stele.client.embedded.StoreConnection;
import io.stele.client.metastore.ClientSettings;
import io.stele.client.metastore.MetastoreClient;
import io.stele.client.table.Table;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;

/**
 * Stele, in servers elsewhere or in this process: the interfaces are the same.
 *
 * <pre>{@code
 * try (Stele stele = Stele.connect("host1:7835", "host2:7835", "host3:7835")) {
 *   stele.tables().create("users", TableSchema.ofFamilies("name"), List.of());
 *   stele.table("users").put("42", "name", "first", "Ada");
 *   stele.metastore().put("/config/mode", "fast");
 * }
 *
 * try (Stele stele = Stele.open(Path.of("stele-data"))) {
 *   stele.table("users").get("42");
 * }
 * }</pre>
 */
public final class Stele implements AutoCloseable {
  private final StoreConnection store;

  private Stele(StoreConnection store) {
    this.store = store;
  }

  /**
   * Connects to servers, with the usual settings; nothing is sent before it is needed.
   *
   * @param endpoints {@code HOST:PORT} of some of them: the more, the more may be down
   */
  public static Stele connect(String... endpoints) {
    return builder().endpoints(endpoints).connect();
  }

  /**
   * Opens the store in a directory, in this process and without a network. One process at a time
   * may have it open. Needs {@code stele-server} on the class path.
   */
  public static Stele open(Path directory) {
    return builder().open(directory);
  }

  public static Builder builder() {
    return new Builder();
  }

  public MetastoreClient metastore() {
    return store.metastore();
  }

  /**
   * A table by its name; whether there is one shows when it is used. A dataset, where no table has
   * its name, is a table that can only be read, row by row, with the one column {@code value:}.
   */
  public Table table(String name) {
    return new Table(new DatasetTables(store.tables(), store.datasets()), name);
  }

  /** Datasets: lookups, and their versions. */
  public Datasets datasets() {
    return store.datasets();
  }

  /** Tables as a whole: makes, lists, changes and drops them. */
  public TableAdmin tables() {
    return store.tableAdmin();
  }

  /** The servers of tables as a whole: who has what, and moving it. */
  public Cluster cluster() {
    return store.cluster();
  }

  /** Replicated tables beyond what all tables have: who has what, splitting, comparing. */
  public Replicas replicas() {
    return store.replicas();
  }

  /** Servers, each asked how it is. */
  public Nodes nodes() {
    return store.nodes();
  }

  /** Operations on rows as servers take them, of packed cells; {@link #table} is the usual way. */
  public Tables rows() {
    return store.tables();
  }

  @Override
  public void close() {
    store.close();
  }

  /** How to connect, or to open. */
  public static final class Builder {
    private final List<String> endpoints = new ArrayList<>();
    private ClientSettings settings = ClientSettings.DEFAULTS;

    private Builder() {}

    public Builder endpoints(String... addresses) {
      endpoints.addAll(List.of(addresses));
      return this;
    }

    public Builder endpoints(List<String> addresses) {
      endpoints.addAll(addresses);
      return this;
    }

    /**
     * Secures all connections, by files in PEM that are read again when they change:
     *
     * <pre>{@code
     * Path certs = Path.of("certs");
     * Stele.builder()
     *     .endpoints("db1.example.org:7835")
     *     .tls(TlsFiles.of(
     *         certs.resolve("client-ann.pem"),
     *         certs.resolve("client-ann.key"),
     *         certs.resolve("authority.pem")))
     *     .connect();
     * }</pre>
     */
    public Builder tls(TlsFiles files) {
      settings = settings.withCalls(settings.calls().withTls(Optional.of(Tls.open(files))));
      return this;
    }

    /** On whose behalf the client asks. Servers with TLS know that by the certificate. */
    public Builder principal(String principal) {
      settings = settings.withCalls(settings.calls().withPrincipal(principal));
      return this;
    }

    /** Until when an operation must have its answer. */
    public Builder timeout(Duration timeout) {
      settings = settings.withCalls(settings.calls().withTimeout(timeout));
      return this;
    }

    /**
     * Whether a change of the metastore whose answer was lost may be sent again, since the server
     * recognizes it. Without, such a change fails with {@code OutcomeUnknownException}, and the
     * client needs no session of its own.
     */
    public Builder deduplicate(boolean deduplicate) {
      settings = settings.withDeduplicate(deduplicate);
      return this;
    }

    public Builder settings(ClientSettings newSettings) {
      settings = newSettings;
      return this;
    }

    public Stele connect() {
      return new Stele(new RemoteStore(endpoints, settings));
    }

    /** Opens the store in a directory; see {@link Stele#open}. */
    public Stele open(Path directory) {
      if (!endpoints.isEmpty()) {
        throw new InvalidRequestException(
            "endpoints " + endpoints + " for a store in this process: must be none");
      }
      EmbeddedProvider provider =
          ServiceLoader.load(EmbeddedProvider.class, Stele.class.getClassLoader())
              .findFirst()
              .orElseThrow(
                  () ->
                      new UnavailableException(
                          "cannot open "
                              + directory
                              + " in this process: io.stele:stele-server must be on the class"
                              + " path"));
      return new Stele(provider.open(directory, settings));
    }
  }
}
