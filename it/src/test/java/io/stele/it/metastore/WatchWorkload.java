package io.stele.it.metastore;

import static org.awaitility.Awaitility.await;

import io.stele.base.error.SteleException;
import io.stele.client.metastore.KeyEvent;
import io.stele.client.metastore.Keys;
import io.stele.client.metastore.MetastoreClient;
import io.stele.client.metastore.WatchListener;
import io.stele.client.metastore.WatchOptions;
import io.stele.client.metastore.Watcher;
import io.stele.it.process.SteleCluster;
import io.stele.testkit.history.Change;
import io.stele.testkit.history.KeyRange;
import io.stele.testkit.history.RevisionHistory;
import io.stele.testkit.history.Verdict;
import io.stele.testkit.history.WatchChecker;
import io.stele.testkit.history.WatchStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;

/** Watchers that see to it themselves that they go on, and what they were told. */
final class WatchWorkload {
  private final List<Recorder> recorders = new ArrayList<>();

  /** Watches a directory, from a revision or, with 0, from now on; returns once that is set. */
  void start(String name, MetastoreClient client, String directory, long from) {
    recorders.add(new Recorder(name, client, directory, from));
  }

  /** Waits until all were told of everything up to this revision, and ends them. */
  void stop(long revision) {
    for (Recorder recorder : recorders) {
      recorder.awaitTold(revision);
      recorder.watcher.close();
    }
  }

  Verdict check(RevisionHistory store, long upTo) {
    return new WatchChecker()
        .check(recorders.stream().map(recorder -> recorder.stream(upTo)).toList(), store);
  }

  /**
   * All that a store has gone through, as a watch from its first revision tells it.
   *
   * @param upTo the last revision that is in it
   */
  static RevisionHistory everything(MetastoreClient client, long upTo) {
    Recorder recorder = new Recorder("everything", client, "/", 1);
    recorder.awaitTold(upTo);
    recorder.watcher.close();
    return new RevisionHistory(recorder.history().revisions().headMap(upTo, true));
  }

  static RevisionHistory below(RevisionHistory all, String directory) {
    NavigableMap<Long, List<Change>> some = new TreeMap<>();
    all.revisions()
        .forEach(
            (revision, changes) -> {
              List<Change> there =
                  changes.stream().filter(change -> change.key().startsWith(directory)).toList();
              if (!there.isEmpty()) {
                some.put(revision, there);
              }
            });
    return new RevisionHistory(some);
  }

  private static final class Recorder implements WatchListener {
    private final String name;
    private final String directory;
    private final Watcher watcher;
    private final long from;
    private final List<WatchStream.Delivery> deliveries = new ArrayList<>(); // guarded by this
    private long told; // guarded by this
    private String problem = ""; // guarded by this

    Recorder(String name, MetastoreClient client, String directory, long from) {
      this.name = name;
      this.directory = directory;
      this.watcher =
          client.watch(
              Keys.below(directory),
              WatchOptions.DEFAULTS.from(from).progressEvery(Duration.ofMillis(500)),
              this);
      try {
        this.from = watcher.started().join();
      } catch (CompletionException e) {
        throw new AssertionError(name + " could not be set", e);
      }
    }

    @Override
    public synchronized void changed(long revision, List<KeyEvent> events) {
      deliveries.add(
          new WatchStream.Events(
              events.stream()
                  .map(event -> new WatchStream.Event(revision, change(event)))
                  .toList()));
      told = Math.max(told, revision);
    }

    private static Change change(KeyEvent event) {
      return event.deleted()
          ? Change.delete(event.now().key())
          : Change.put(event.now().key(), event.now().text());
    }

    @Override
    public synchronized void progressed(long revision) {
      deliveries.add(new WatchStream.Progress(revision));
      told = Math.max(told, revision);
    }

    @Override
    public synchronized void compacted(long oldest) {
      problem = "compacted up to " + oldest;
    }

    @Override
    public synchronized void failed(SteleException cause) {
      problem = cause.toString();
    }

    /** Fails only if the watch makes no progress: a long history takes its time. */
    void awaitTold(long revision) {
      for (long before = told(); before < revision; before = told()) {
        long last = before;
        await(name + " to be told of more than revision " + last + ", up to " + revision)
            .atMost(SteleCluster.RECOVERY)
            .until(() -> told() > last);
      }
    }

    private synchronized long told() {
      if (!problem.isEmpty()) {
        throw new AssertionError(name + " ended: " + problem);
      }
      return told;
    }

    synchronized WatchStream stream(long upTo) {
      String end = directory.substring(0, directory.length() - 1) + (char) ('/' + 1);
      return new WatchStream(
          name, KeyRange.of(directory, end), from, upTo, List.copyOf(deliveries));
    }

    synchronized RevisionHistory history() {
      NavigableMap<Long, List<Change>> revisions = new TreeMap<>();
      for (WatchStream.Delivery delivery : deliveries) {
        if (delivery instanceof WatchStream.Events(List<WatchStream.Event> events)) {
          for (WatchStream.Event event : events) {
            revisions.computeIfAbsent(event.revision(), _ -> new ArrayList<>()).add(event.change());
          }
        }
      }
      return new RevisionHistory(revisions);
    }
  }
}
