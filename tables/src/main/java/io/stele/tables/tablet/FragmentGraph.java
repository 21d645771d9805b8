package io.stele.tables.tablet;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.engine.cache.BlockCache;
import io.stele.engine.disk.DiskFragment;
import io.stele.tables.schema.FamilyMap;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which files of a table are open, and how many chains of its tablets use each. Halves of a split
 * share their files, and so do the tablets whose rows were flushed together; a file is closed with
 * its last use. Blocks of a file are cached as the groups of its families ask for.
 */
public final class FragmentGraph {
  private static final class Node {
    final DiskFragment fragment;
    int uses;

    Node(DiskFragment fragment) {
      this.fragment = fragment;
    }
  }

  private final FileStore files;
  private final BlockCache cache;
  private final Troubles troubles;

  @GuardedBy("this")
  private final Map<FilePath, Node> nodes = new HashMap<>();

  @GuardedBy("this")
  private final List<DiskFragment> closing = new ArrayList<>(); // unused, but still being read

  @GuardedBy("this")
  private @Nullable FamilyMap families; // none yet: all files are read on demand

  /** Gets every file that cannot be opened or read, and why. */
  public interface Troubles {
    void unreadable(FilePath path, SteleException problem);
  }

  public FragmentGraph(FileStore files, BlockCache cache, Troubles troubles) {
    this.files = files;
    this.cache = cache;
    this.troubles = troubles;
  }

  /** The open fragment of a path, which has one more use now. */
  DiskFragment use(FilePath path) {
    Optional<DiskFragment> known = useIfOpen(path);
    if (known.isPresent()) {
      return known.get();
    }
    // Not under the lock: whoever holds the commit lock may be waiting for it.
    DiskFragment opened = open(path);
    DiskFragment used;
    synchronized (this) {
      Node node = nodes.computeIfAbsent(path, _ -> new Node(opened));
      node.uses++;
      used = node.fragment;
      prioritize(used);
    }
    if (used != opened) {
      opened.close(); // somebody was faster
    }
    return used;
  }

  private synchronized Optional<DiskFragment> useIfOpen(FilePath path) {
    Node node = nodes.get(path);
    if (node == null) {
      return Optional.empty();
    }
    node.uses++;
    return Optional.of(node.fragment);
  }

  private DiskFragment open(FilePath path) {
    try {
      return DiskFragment.open(files, path, cache, problem -> troubles.unreadable(path, problem));
    } catch (IOException e) {
      UnavailableException problem =
          new UnavailableException("fragment " + path + " cannot be opened: " + e, e);
      troubles.unreadable(path, problem);
      throw problem;
    }
  }

  /**
   * Counts the uses of a view's chains in place of those of the view before.
   *
   * @return the fragments that have none left, to be closed by the caller
   */
  @SuppressWarnings("ReferenceEquality") // what is equal but not the same costs time, nothing else
  synchronized List<DiskFragment> replace(List<TabletView> before, List<TabletView> after) {
    int head = 0; // how many are the same at either end: most edits change one tablet
    int tail = 0;
    int most = Math.min(before.size(), after.size());
    while (head < most && before.get(head) == after.get(head)) {
      head++;
    }
    while (tail < most - head && before.reversed().get(tail) == after.reversed().get(tail)) {
      tail++;
    }
    fragments(after.subList(head, after.size() - tail)).forEach(this::share);
    return release(fragments(before.subList(head, before.size() - tail)));
  }

  private static List<DiskFragment> fragments(List<TabletView> tablets) {
    return tablets.stream().flatMap(tablet -> tablet.fragments().stream()).toList();
  }

  /** One more use of a fragment that is in use already. */
  synchronized void share(DiskFragment fragment) {
    Node node = nodes.get(fragment.path());
    if (node == null || node.fragment != fragment) {
      throw new IllegalStateException("fragment " + fragment.path() + " is shared but not in use");
    }
    node.uses++;
  }

  /** Ends uses, one each; answers the fragments that have none left, to be closed by the caller. */
  synchronized List<DiskFragment> release(List<DiskFragment> fragments) {
    List<DiskFragment> unused = new ArrayList<>();
    for (DiskFragment fragment : fragments) {
      Node node = nodes.get(fragment.path());
      if (node == null || node.uses < 1) {
        throw new IllegalStateException("fragment " + fragment.path() + " released but not in use");
      }
      if (--node.uses == 0) {
        nodes.remove(fragment.path());
        closing.add(fragment);
        unused.add(fragment);
      }
    }
    return unused;
  }

  /** Closes a fragment that has no use and no reader any more. */
  void close(DiskFragment fragment) {
    try {
      fragment.close();
    } catch (SteleException e) {
      // It was reported, and nobody reads the file any more.
    }
    synchronized (this) {
      closing.remove(fragment);
    }
  }

  /** How many chains use a file; 0 if it is not open. */
  public synchronized int uses(FilePath path) {
    Node node = nodes.get(path);
    return node == null ? 0 : node.uses;
  }

  /** The files that must not be deleted, whatever META says. */
  public synchronized Set<FilePath> openFiles() {
    Set<FilePath> open = new HashSet<>(nodes.keySet());
    closing.forEach(fragment -> open.add(fragment.path()));
    return open;
  }

  /** Has the blocks of each file, open now or later, kept as the groups of its families ask for. */
  synchronized void setPriorities(FamilyMap schema) {
    families = schema;
    nodes.values().forEach(node -> prioritize(node.fragment));
  }

  private synchronized void prioritize(DiskFragment fragment) {
    if (families != null) {
      fragment.setPriority(families.priorityOf(fragment.families()));
    }
  }

  /** Reads a file that is in use into the cache, if a group in memory has families of it. */
  public static void preload(DiskFragment fragment) {
    if (fragment.priority().preloads()) {
      try {
        fragment.preload();
      } catch (SteleException e) {
        // A reader of the block in question gets the same error.
      }
    }
  }
}
