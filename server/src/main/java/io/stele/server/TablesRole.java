package io.stele.server;

import io.stele.base.event.Events;
import io.stele.base.file.FileStore;
import io.stele.base.file.FileStores;
import io.stele.base.file.LocalFileStore;
import io.stele.base.settings.Settings;
import io.stele.base.time.Clock;
import io.stele.base.time.RandomSource;
import io.stele.client.cluster.LoneServer;
import io.stele.engine.cache.BlockCache;
import io.stele.gateway.nativeapi.NativeServer;
import io.stele.metastore.Metastore;
import io.stele.server.front.TableFront;
import io.stele.tables.TabletServer;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A server's tables. Their files are in the directory {@code tables} of the server's, or where the
 * settings say; the root of META is in the metastore.
 */
final class TablesRole implements AutoCloseable {
  private final FileStore files;
  private final NativeServer gateway;
  private final TabletServer tables;

  private TablesRole(FileStore files, NativeServer gateway, TabletServer tables) {
    this.files = files;
    this.gateway = gateway;
    this.tables = tables;
  }

  /**
   * Loads all tables and has the gateway serve them.
   *
   * @param directory of the role's own
   * @param address at which clients reach it
   * @param front is given the tables
   */
  static TablesRole start(
      Settings settings,
      Path directory,
      String address,
      Metastore metastore,
      NativeServer gateway,
      TableFront front,
      Events events)
      throws IOException {
    TablesSettings known = settings.bind(TablesSettings.class, ServerSchema.TABLES);
    FileStore files =
        known.files().isPresent()
            ? FileStores.open(known.files().get())
            : LocalFileStore.open(directory);
    TabletServer tables = null;
    boolean started = false;
    try {
      tables =
          TabletServer.builder(files, new MetastoreRootStore(metastore))
              .address(address)
              .settings(known.server())
              .clock(Clock.system())
              .random(RandomSource.system())
              .cache(new BlockCache(known.cache().bytes()))
              .events(events::publish)
              .open();
      // Before, a table that there is might be taken for one that is not.
      tables.awaitLoaded();
      started = true;
      var _ = front.serve(tables, tables);
      var _ = gateway.serve(new LoneServer(address, tables, tables.storedFiles()));
      return new TablesRole(files, gateway, tables);
    } finally {
      if (!started) {
        if (tables != null) {
          tables.close();
        }
        files.close();
      }
    }
  }

  TabletServer tables() {
    return tables;
  }

  /** Ends what clients have under way, writes all that is in memory to files, and stops. */
  @Override
  public void close() throws IOException {
    gateway.endTables();
    tables.close();
    files.close();
  }
}
