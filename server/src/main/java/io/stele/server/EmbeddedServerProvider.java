package io.stele.server;

import io.stele.base.error.UnavailableException;
import io.stele.base.settings.Settings;
import io.stele.client.embedded.EmbeddedProvider;
import io.stele.client.embedded.StoreConnection;
import io.stele.client.metastore.ClientSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Lets {@code Stele.open} run a server in its own process. */
public final class EmbeddedServerProvider implements EmbeddedProvider {
  @Override
  public StoreConnection open(Path directory, ClientSettings settings) {
    Settings known =
        ServerSchema.SCHEMA.reader().flags(List.of("server.data=" + directory)).merge();
    try {
      return new EmbeddedServer(Server.embed(known, EventLog.quietEvents()), settings);
    } catch (IOException e) {
      throw new UnavailableException("cannot open " + directory + ": " + e.getMessage(), e);
    }
  }
}
