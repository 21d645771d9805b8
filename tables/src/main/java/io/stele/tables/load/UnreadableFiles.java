package io.stele.tables.load;

import io.stele.base.error.CorruptDataException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.FilePath;
import io.stele.engine.cache.BlockCache;
import io.stele.engine.disk.DiskFragment;
import io.stele.tables.event.TableEvent;
import io.stele.tables.meta.TabletKey;
import io.stele.tables.tablet.ServerParts;
import io.stele.tables.tablet.Table;
import io.stele.tables.tablet.TabletView;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Looks after fragments that could not be read. Each is read again as a whole:
 *
 * <pre>
 *   all of it was read   ──► forgotten
 *   damaged              ──► reported; every server would find the same, so its tablets stay
 *   not read: alone      ──► reported, and tried again by the next upkeep
 *             in cluster ──► its tablets are unloaded once, and the master gives them to others
 * </pre>
 *
 * A server refuses the next order to load a tablet that it handed over, so that the master tries
 * another server. If no other can read the file either, the tablets come back and stay: rows in
 * other files are served. If this server cannot even write what the tablets have in memory, its
 * disk is of no use, and it gives up its session.
 */
public final class UnreadableFiles {
  /** Gives tablets up, as an order of the master does. */
  public interface Unload {
    Map<TabletKey, Optional<SteleException>> unload(Collection<TabletKey> tablets);
  }

  private final ServerParts server;
  private final Supplier<Collection<Table>> tables;
  private final boolean inCluster;
  private final Unload unload;
  private final Consumer<Throwable> giveUp;
  private final Set<FilePath> handedOver = ConcurrentHashMap.newKeySet(); // whose tablets were
  private final Set<TabletKey> refusedOnce = ConcurrentHashMap.newKeySet(); // at the next order

  /**
   * Makes one.
   *
   * @param inCluster whether there may be other servers for the tablets
   * @param giveUp ends this server's part
   */
  public UnreadableFiles(
      ServerParts server,
      Supplier<Collection<Table>> tables,
      boolean inCluster,
      Unload unload,
      Consumer<Throwable> giveUp) {
    this.server = server;
    this.tables = tables;
    this.inCluster = inCluster;
    this.unload = unload;
    this.giveUp = giveUp;
  }

  /** Reads all files again that could not be read. */
  public void checkAll() {
    server.health().unreadable().forEach(this::check);
  }

  /** Reads a file again that could not be read. */
  public void check(FilePath path) {
    Optional<SteleException> problem = read(path);
    List<TabletKey> needing = needing(path);
    if (problem.isEmpty() || (needing.isEmpty() && isGone(problem.get()))) {
      server.readable(path);
    } else if (problem.get() instanceof CorruptDataException) {
      server.unreadable(path, problem.get());
    } else if (inCluster && !needing.isEmpty() && handedOver.add(path)) {
      handOver(path, needing);
    }
  }

  private Optional<SteleException> read(FilePath path) {
    try (DiskFragment fragment = DiskFragment.open(server.files(), path, new BlockCache(0))) {
      fragment.verify();
      return Optional.empty();
    } catch (SteleException e) {
      return Optional.of(e);
    } catch (IOException e) {
      return Optional.of(
          new UnavailableException("fragment " + path + " cannot be opened: " + e, e));
    }
  }

  private static boolean isGone(SteleException problem) {
    return problem.getCause() instanceof NoSuchFileException;
  }

  private List<TabletKey> needing(FilePath path) {
    List<TabletKey> needing = new ArrayList<>();
    for (Table table : tables.get()) {
      for (TabletView tablet : table.view().tablets()) {
        if (tablet.paths().contains(path)) {
          needing.add(new TabletKey(table.name(), tablet.last()));
        }
      }
    }
    return needing;
  }

  private void handOver(FilePath path, List<TabletKey> tablets) {
    refusedOnce.addAll(tablets); // first: the master may be quicker than the answer here
    List<String> left = new ArrayList<>();
    unload
        .unload(tablets)
        .forEach(
            (tablet, problem) ->
                problem.ifPresentOrElse(
                    cause -> stayed(path, tablet, cause), () -> left.add(tablet.toString())));
    if (!left.isEmpty()) {
      server.report(new TableEvent.HandedOver(path.value(), left));
    }
  }

  private void stayed(FilePath path, TabletKey tablet, SteleException cause) {
    refusedOnce.remove(tablet);
    handedOver.remove(path); // META may be away: the next upkeep tries again
    if (cause.getCause() instanceof IOException) {
      giveUp.accept(cause);
    }
  }

  /** Why a tablet is not loaded here, though the master orders it; only once for each hand-over. */
  Optional<SteleException> refusal(TabletKey tablet) {
    return refusedOnce.remove(tablet)
        ? Optional.of(
            new UnavailableException(
                tablet + " has a file that cannot be read here: another server should load it"))
        : Optional.empty();
  }
}
