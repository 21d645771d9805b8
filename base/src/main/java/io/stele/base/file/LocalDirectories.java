package io.stele.base.file;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Which directories below a local store's root are known to survive a crash.
 *
 * <p>A file's name is durable only if its directory was synced, and the directory that holds that
 * one, and so on up to the root. Whoever made a directory may not be the first to sync a file in
 * it, so the knowledge is the store's and not the file's.
 */
final class LocalDirectories {
  private final Path root;
  private final Syncer syncer;

  /** Guards the pair of a directory's existence and its place in {@link #durable}. */
  private final ReentrantLock lock = new ReentrantLock();

  /** Invariant: if a directory is in here, so are all that it lies in, up to the root. */
  private final Set<Path> durable = ConcurrentHashMap.newKeySet();

  private LocalDirectories(Path root, Syncer syncer) {
    this.root = root;
    this.syncer = syncer;
    durable.add(root);
  }

  /** Makes the root where it does not exist, durably. */
  static LocalDirectories open(Path root, Syncer syncer) throws IOException {
    Deque<Path> missing = new ArrayDeque<>();
    for (Path path = root; path != null && !Files.exists(path); path = path.getParent()) {
      missing.push(path);
    }
    try {
      Files.createDirectories(root);
    } catch (FileAlreadyExistsException e) {
      throw new IOException("cannot keep files in " + root + ": it is not a directory", e);
    }
    for (Path made : missing) {
      Path parent = made.getParent();
      if (parent != null) {
        syncer.directory(parent);
      }
    }
    return new LocalDirectories(root.toRealPath(), syncer);
  }

  Path root() {
    return root;
  }

  /** Makes a directory and all that it lies in; not durable before {@link #persist}. */
  void create(Path directory) throws IOException {
    if (Files.isDirectory(directory)) {
      return;
    }
    try {
      Files.createDirectories(directory);
    } catch (FileAlreadyExistsException e) {
      // "Already exists" would tell the caller that the file it asked for is there.
      NotDirectoryException refused = new NotDirectoryException(e.getFile());
      refused.initCause(e);
      throw refused;
    }
  }

  /** Makes the names in a directory, and the directory itself, durable. */
  void persist(Path directory) throws IOException {
    syncer.directory(directory);
    if (durable.contains(directory)) {
      return;
    }
    lock.lock();
    try {
      Deque<Path> young = new ArrayDeque<>();
      for (Path path = directory; path.startsWith(root) && !durable.contains(path); ) {
        young.push(path);
        path = parent(path);
      }
      for (Path path : young) {
        syncer.directory(parent(path));
        durable.add(path);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Deletes an empty directory; one of the same name that is made later has to be synced anew. */
  void delete(Path directory) throws IOException {
    lock.lock();
    try {
      Files.delete(directory);
      durable.remove(directory);
    } finally {
      lock.unlock();
    }
  }

  private Path parent(Path path) {
    Path parent = path.getParent();
    return parent == null ? root : parent;
  }
}
