package io.stele.replicas.metadata;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** One file on its way to the disks of a majority of metadata servers. */
final class FileQuorum {
  private final MetadataParts parts;
  private final MetadataFiles files;
  private final MetadataCache cache;
  private final TableLookup lookup;
  private final FileKey key;
  private final int servers;
  private final Map<String, CompletableFuture<Void>> asked = new LinkedHashMap<>();
  private boolean here;

  private FileQuorum(
      MetadataParts parts,
      MetadataFiles files,
      MetadataCache cache,
      TableLookup lookup,
      FileKey key,
      int servers) {
    this.parts = parts;
    this.files = files;
    this.cache = cache;
    this.lookup = lookup;
    this.key = key;
    this.servers = servers;
  }

  /** Stores a file here, if this server is one of them, and asks the others to. */
  static FileQuorum ask(
      MetadataParts parts,
      MetadataFiles files,
      MetadataCache cache,
      TableLookup lookup,
      FileKey key,
      Bytes file,
      List<String> servers) {
    FileQuorum quorum = new FileQuorum(parts, files, cache, lookup, key, servers.size());
    if (servers.contains(parts.server())) {
      files.keep(key, file);
      quorum.here = true;
    }
    for (String server : servers) {
      if (!server.equals(parts.server())) {
        Optional<MetadataPeer> peer = cache.peer(server);
        quorum.asked.put(
            server,
            peer.isEmpty()
                ? CompletableFuture.failedFuture(
                    new UnavailableException("server " + server + " is not running"))
                : CompletableFuture.runAsync(
                    () -> peer.get().store(key.table(), key.txn(), file), parts.calls()));
      }
    }
    return quorum;
  }

  /**
   * Waits until a majority has the file durably.
   *
   * @throws UnavailableException if that cannot be
   */
  void await() {
    int majority = servers / 2 + 1;
    int needed = majority - (here ? 1 : 0);
    if (needed > 0 && !awaitOthers(needed)) {
      long confirmed = asked.values().stream().filter(FileQuorum::succeeded).count();
      throw new UnavailableException(
          key
              + " was stored by "
              + (confirmed + (here ? 1 : 0))
              + " of "
              + servers
              + " metadata servers: must be "
              + majority
              + "; failed: "
              + failures());
    }
  }

  private boolean awaitOthers(int needed) {
    CompletableFuture<Boolean> decided = new CompletableFuture<>();
    AtomicInteger confirmed = new AtomicInteger();
    AtomicInteger failed = new AtomicInteger();
    for (CompletableFuture<Void> each : asked.values()) {
      var _ =
          each.whenComplete(
              (done, failure) -> {
                if (failure == null && confirmed.incrementAndGet() >= needed) {
                  decided.complete(true);
                } else if (failure != null && failed.incrementAndGet() > asked.size() - needed) {
                  decided.complete(false);
                }
              });
    }
    return needed <= asked.size() && decided.join(); // calls end within a bounded time
  }

  private static boolean succeeded(CompletableFuture<Void> call) {
    return call.isDone() && !call.isCompletedExceptionally();
  }

  private List<String> failures() {
    return asked.entrySet().stream()
        .filter(each -> each.getValue().isCompletedExceptionally())
        .map(each -> each.getKey() + " (" + each.getValue().exceptionNow().getMessage() + ")")
        .toList();
  }

  /** Drops the file everywhere; where that fails, those servers find out by themselves. */
  void takeBack() {
    if (here) {
      drop(() -> files.dropUnlessValid(key, lookup));
    }
    asked.forEach((server, call) -> cache.peer(server).ifPresent(peer -> takeBack(peer, call)));
  }

  private void takeBack(MetadataPeer peer, CompletableFuture<Void> storing) {
    var _ =
        storing.whenComplete(
            (done, failure) ->
                parts.calls().execute(() -> drop(() -> peer.drop(key.table(), key.txn()))));
  }

  private void drop(Runnable drop) {
    try {
      drop.run();
    } catch (SteleException e) {
      parts.events().accept(new MetadataEvent.Failed("dropping " + key, e));
    }
  }
}
