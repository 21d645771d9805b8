package io.stele.client;

import io.stele.client.metastore.ClientSettings;
import io.stele.client.metastore.MetastoreClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A connection to Stele.
 *
 * <pre>{@code
 * try (Stele stele = Stele.connect("host1:7835", "host2:7835", "host3:7835")) {
 *   stele.metastore().put("/config/mode", "fast");
 * }
 * }</pre>
 */
public final class Stele implements AutoCloseable {
  private final MetastoreClient metastore;

  private Stele(List<String> endpoints, ClientSettings settings) {
    this.metastore = new MetastoreClient(endpoints, settings);
  }

  /**
   * Connects to servers, with the usual settings; nothing is sent before it is needed.
   *
   * @param endpoints {@code HOST:PORT} of some of them: the more, the more may be down
   */
  public static Stele connect(String... endpoints) {
    return builder().endpoints(endpoints).connect();
  }

  public static Builder builder() {
    return new Builder();
  }

  public MetastoreClient metastore() {
    return metastore;
  }

  @Override
  public void close() {
    metastore.close();
  }

  /** How to connect. */
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

    /** On whose behalf the client asks. */
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
     * Whether a change whose answer was lost may be sent again, since the server recognizes it.
     * Without, such a change fails with {@code OutcomeUnknownException}, and the client needs no
     * session of its own.
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
      return new Stele(endpoints, settings);
    }
  }
}
