package io.stele.engine;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.CorruptDataException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.engine.cache.BlockCache;
import io.stele.engine.cache.CachePriority;
import io.stele.engine.cache.InMemoryGroups;
import io.stele.engine.chain.Chain;
import io.stele.engine.chain.ChainHolder;
import io.stele.engine.chain.Link;
import io.stele.engine.disk.DiskFragment;
import io.stele.engine.fragment.Fragment;
import io.stele.engine.memory.MemFragment;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a store's chain and its manifest in step: a change of the disk fragments is in the
 * manifest, durably, before any reader meets it.
 *
 * <p>Two locks. {@code manifests} is held over a whole change of disk fragments, file writes
 * included, so that these come one after the other. {@code chains} is held only while one chain is
 * swapped for the next, which writers do too when they start another mem fragment.
 */
final class ChainKeeper implements AutoCloseable {
  private static final FilePath FRAGMENTS = FilePath.of("fragments");

  private final FileStore files;
  private final BlockCache cache;
  private volatile InMemoryGroups inMemory;
  private final ChainHolder holder;
  private final AtomicLong nextFile;
  private final ReentrantLock manifests = new ReentrantLock();
  private final ReentrantLock chains = new ReentrantLock();

  private Manifest saved; // the one on disk; guarded by manifests
  private volatile long flushedTxn; // written under manifests
  private volatile @Nullable IOException broken; // a manifest whose fate is unknown
  private volatile boolean closed;

  private ChainKeeper(FileStore files, BlockCache cache, InMemoryGroups inMemory, Manifest manifest)
      throws IOException {
    this.files = files;
    this.cache = cache;
    this.inMemory = inMemory;
    this.nextFile = new AtomicLong(manifest.nextFile());
    this.saved = manifest;
    this.flushedTxn = manifest.flushedTxn();
    List<Link> links = new ArrayList<>();
    try {
      for (Manifest.Entry entry : manifest.fragments()) {
        FilePath path = Manifest.fragmentPath(entry.number());
        links.add(new Link(openFragment(path), entry.families()));
      }
    } catch (IOException | RuntimeException e) {
      links.forEach(link -> ((DiskFragment) link.fragment()).close());
      throw e;
    }
    this.holder = new ChainHolder(new Chain(links), this::release);
  }

  static ChainKeeper open(FileStore files, BlockCache cache, InMemoryGroups inMemory)
      throws IOException {
    Manifest manifest = Manifest.load(files);
    ChainKeeper keeper = new ChainKeeper(files, cache, inMemory, manifest);
    try {
      keeper.deleteStrays(manifest);
    } catch (IOException | RuntimeException e) {
      keeper.close();
      throw e;
    }
    return keeper;
  }

  /** Files that a flush or compaction left when it was cut off before the manifest named them. */
  private void deleteStrays(Manifest manifest) throws IOException {
    Set<FilePath> named = new HashSet<>();
    manifest.fragments().forEach(entry -> named.add(Manifest.fragmentPath(entry.number())));
    for (FileInfo file : files.list(FRAGMENTS)) {
      if (!named.contains(file.path())) {
        files.delete(file.path());
      }
    }
  }

  private DiskFragment openFragment(FilePath path) throws IOException {
    DiskFragment fragment = DiskFragment.open(files, path, cache);
    CachePriority priority = inMemory.priorityOf(fragment.families());
    fragment.setPriority(priority);
    if (priority.preloads()) {
      Thread.ofVirtual().name("stele-preload").start(() -> preload(fragment));
    }
    return fragment;
  }

  /** Nobody waits for it: what it cannot read, a reader will meet and be told of. */
  private static void preload(DiskFragment fragment) {
    try {
      fragment.preload();
    } catch (SteleException e) {
      return;
    }
  }

  ChainHolder holder() {
    return holder;
  }

  /** All transactions up to this one are in disk fragments. */
  long flushedTxn() {
    return flushedTxn;
  }

  FilePath newFragmentPath() {
    return Manifest.fragmentPath(nextFile.getAndIncrement());
  }

  /** Adds a mem fragment behind all others. */
  void add(MemFragment fragment) {
    chains.lock();
    try {
      holder.replace(holder.current().append(Link.whole(fragment)));
    } finally {
      chains.unlock();
    }
  }

  /**
   * Puts the output of a finished job in the place of its inputs.
   *
   * @param output nothing if no cell was kept
   * @param newFlushedTxn what the chain holds on disk from then on
   * @return false, and the output is deleted, if the inputs are no longer in the chain as they were
   */
  boolean replace(List<Link> inputs, Optional<FilePath> output, long newFlushedTxn)
      throws IOException {
    manifests.lock();
    try {
      checkUsable();
      Optional<Link> link = Optional.empty();
      if (output.isPresent()) {
        link = Optional.of(Link.whole(openFragment(output.get())));
      }
      Optional<Chain> preview = holder.current().replace(inputs, link);
      if (preview.isEmpty()) {
        link.ifPresent(unwanted -> release(unwanted.fragment()));
        return false;
      }
      try {
        save(preview.get(), Math.max(flushedTxn, newFlushedTxn));
      } catch (IOException | RuntimeException e) {
        // The file stays: a manifest whose fate is unknown may name it. Else it is a stray.
        link.ifPresent(unused -> ((DiskFragment) unused.fragment()).close());
        throw e;
      }
      install(inputs, link);
      return true;
    } finally {
      manifests.unlock();
    }
  }

  private void install(List<Link> inputs, Optional<Link> output) {
    chains.lock();
    try {
      // Only mem fragments can have been added since the preview: the inputs are still there.
      holder.replace(holder.current().replace(inputs, output).orElseThrow());
    } finally {
      chains.unlock();
    }
  }

  /** From now on only these families count in what is in disk fragments. */
  void restrict(Set<Bytes> families) throws IOException {
    manifests.lock();
    try {
      checkUsable();
      save(restricted(holder.current(), families), flushedTxn);
      chains.lock();
      try {
        holder.replace(restricted(holder.current(), families));
      } finally {
        chains.unlock();
      }
    } finally {
      manifests.unlock();
    }
  }

  /** Which families are to be kept in the cache from now on. */
  void setInMemory(InMemoryGroups groups) {
    manifests.lock();
    try {
      inMemory = groups;
      for (Fragment fragment : holder.current().fragments()) {
        if (fragment instanceof DiskFragment disk) {
          disk.setPriority(groups.priorityOf(disk.families()));
        }
      }
    } finally {
      manifests.unlock();
    }
  }

  private static Chain restricted(Chain chain, Set<Bytes> families) {
    List<Link> links = new ArrayList<>();
    for (Link link : chain.links()) {
      if (link.fragment() instanceof DiskFragment) {
        Set<Bytes> kept = new TreeSet<>(link.families().orElse(families));
        kept.retainAll(families);
        links.add(new Link(link.fragment(), Optional.of(kept)));
      } else {
        links.add(link);
      }
    }
    return new Chain(links);
  }

  private void save(Chain chain, long newFlushedTxn) throws IOException {
    List<Manifest.Entry> entries = new ArrayList<>();
    for (Link link : chain.links()) {
      if (link.fragment() instanceof DiskFragment disk) {
        entries.add(new Manifest.Entry(number(disk.path()), link.families()));
      }
    }
    Manifest next = new Manifest(newFlushedTxn, nextFile.get(), entries);
    try {
      next.save(files);
    } catch (IOException e) {
      if (!isInPlace(saved)) {
        broken = e; // the new one may or may not be durable: only opening again can tell
      }
      throw e;
    }
    saved = next;
    flushedTxn = newFlushedTxn;
  }

  /** The usual failure, a full disk, leaves the manifest as it was: then it can be tried again. */
  private boolean isInPlace(Manifest manifest) {
    try {
      return Manifest.load(files).equals(manifest);
    } catch (IOException | CorruptDataException e) {
      return false;
    }
  }

  /** True if no change of disk fragments will succeed until the store is opened again. */
  boolean isBroken() {
    return broken != null;
  }

  /** Fails if nothing may be changed: after a close, or beside a manifest of unknown fate. */
  void checkUsable() {
    if (closed) {
      throw new UnavailableException("store in " + files.describe() + " is closed");
    }
    IOException cause = broken;
    if (cause != null) {
      throw new UnavailableException(
          "a manifest in "
              + files.describe()
              + " could not be saved; open the store again: "
              + cause,
          cause);
    }
  }

  private static long number(FilePath path) {
    return Long.parseLong(path.name().substring(0, path.name().indexOf('.')));
  }

  /** No chain names the fragment any more. */
  private void release(Fragment fragment) {
    if (fragment instanceof DiskFragment disk) {
      try {
        disk.close();
        if (!closed) {
          files.delete(disk.path());
        }
      } catch (IOException | UnavailableException e) {
        // It is a stray now, and goes when the store is opened the next time.
      }
    }
  }

  @Override
  public void close() {
    manifests.lock(); // behind a change that is under way; none comes after
    try {
      closed = true;
    } finally {
      manifests.unlock();
    }
    holder.collect();
    for (Fragment fragment : holder.current().fragments()) {
      if (fragment instanceof DiskFragment disk) {
        disk.close();
      }
    }
  }
}
