package io.stele.server;

import io.stele.base.error.SteleException;
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
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A server's tables. Their files are in the directory {@code tables} of the server's, or where the
 * settings say; the root of META is in the metastore.
 *
 * <p>A tablet server whose commit log has failed takes no more writes. It is replaced by another on
 * the same files, which reads that log, as soon as the disk allows it.
 */
final class TablesRole implements AutoCloseable {
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final String WHAT = "tables";

  private final TablesSettings settings;
  private final FileStore files;
  private final String address;
  private final Metastore metastore;
  private final NativeServer gateway;
  private final TableFront front;
  private final Inspection inspection;
  private final Events events;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private volatile TabletServer tables;

  // Guarded by lock.
  private boolean closing;
  private boolean replacing;

  private TablesRole(
      TablesSettings settings,
      FileStore files,
      String address,
      Metastore metastore,
      NativeServer gateway,
      TableFront front,
      Inspection inspection,
      Events events) {
    this.settings = settings;
    this.files = files;
    this.address = address;
    this.metastore = metastore;
    this.gateway = gateway;
    this.front = front;
    this.inspection = inspection;
    this.events = events;
    this.tables = open();
  }

  /**
   * Loads all tables and has the gateway serve them.
   *
   * @param directory of the role's own
   * @param address at which clients reach it
   * @param front is given the tables
   * @param inspection is told when they cannot be written
   */
  static TablesRole start(
      Settings settings,
      Path directory,
      String address,
      Metastore metastore,
      NativeServer gateway,
      TableFront front,
      Inspection inspection,
      Events events)
      throws IOException {
    TablesSettings known = settings.bind(TablesSettings.class, ServerSchema.TABLES);
    FileStore files =
        known.files().isPresent()
            ? FileStores.open(known.files().get())
            : LocalFileStore.open(directory);
    boolean started = false;
    try {
      TablesRole role =
          new TablesRole(known, files, address, metastore, gateway, front, inspection, events);
      started = true;
      role.serve();
      return role;
    } finally {
      if (!started) {
        files.close();
      }
    }
  }

  private TabletServer open() {
    TabletServer server =
        TabletServer.builder(files, new MetastoreRootStore(metastore))
            .address(address)
            .settings(settings.server())
            .clock(Clock.system())
            .random(RandomSource.system())
            .cache(new BlockCache(settings.cache().bytes()))
            .events(events::publish)
            .open();
    boolean loaded = false;
    try {
      // Before, a table that there is might be taken for one that is not.
      server.awaitLoaded();
      loaded = true;
      return server;
    } finally {
      if (!loaded) {
        server.abandon();
      }
    }
  }

  private void serve() {
    TabletServer server = tables;
    var _ = front.serve(server, server);
    var _ = gateway.serve(new LoneServer(address, server, server.storedFiles()));
    var _ = server.failure().whenComplete((_, failure) -> failed(server, failure));
  }

  // ---- a log that has failed

  private void failed(TabletServer server, @Nullable Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (cause == null || cause.getCause() instanceof Error) {
      return; // a thread has died: the whole server ends
    }
    lock.lock();
    try {
      if (closing || replacing) {
        return;
      }
      replacing = true;
    } finally {
      lock.unlock();
    }
    ServerEvent.LogFailed event = new ServerEvent.LogFailed(String.valueOf(cause.getMessage()));
    inspection.problem(WHAT, event.text());
    events.publish(event);
    Thread.ofPlatform().daemon().name("stele-reopen").start(() -> replace(server));
  }

  private void replace(TabletServer broken) {
    broken.abandon();
    String told = "";
    while (true) {
      try {
        tables = open();
        serve();
        inspection.solved(WHAT);
        events.publish(new ServerEvent.TablesAgain());
        break;
      } catch (SteleException e) {
        String problem = String.valueOf(e.getMessage());
        if (!problem.equals(told)) {
          told = problem;
          ServerEvent.LogFailed event = new ServerEvent.LogFailed(problem);
          inspection.problem(WHAT, event.text());
          events.publish(event);
        }
        if (!pause()) {
          break;
        }
      }
    }
    lock.lock();
    try {
      replacing = false;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** False once it is to end. */
  private boolean pause() {
    lock.lock();
    try {
      long left = RETRY_NANOS;
      while (left > 0 && !closing) {
        left = changed.awaitNanos(left);
      }
      return !closing;
    } catch (InterruptedException e) {
      return false;
    } finally {
      lock.unlock();
    }
  }

  TabletServer tables() {
    return tables;
  }

  /** Why they are not served at the moment, if so. */
  Optional<String> problem() {
    lock.lock();
    try {
      return replacing
          ? Optional.of("the commit log has failed, and the tables are opened again")
          : Optional.empty();
    } finally {
      lock.unlock();
    }
  }

  /** Ends what clients have under way, writes all that is in memory to files, and stops. */
  @Override
  public void close() throws IOException {
    lock.lock();
    try {
      closing = true;
      changed.signalAll();
      while (replacing) {
        changed.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
    gateway.endTables();
    tables.close();
    files.close();
  }
}
