package io.stele.replicas.metadata;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import io.stele.base.error.CorruptDataException;
import io.stele.base.error.InvalidRequestException;
import io.stele.replicas.metadata.MetadataStore.Stored;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The files that a server has, what it is about to do with them, and what it knows about those that
 * may be left over. Any thread.
 */
final class MetadataFiles {
  /** When a file was first looked at. One is not another, though they say the same. */
  static final class Note {
    private final long version;
    private final long since;

    /**
     * A note of this moment.
     *
     * @param version of the table's configuration, read when the file was there already: who wants
     *     to make the file valid has read that version or an older one
     * @param since by the monotonic clock
     */
    Note(long version, long since) {
      this.version = version;
      this.since = since;
    }

    long version() {
      return version;
    }

    long since() {
      return since;
    }
  }

  private final MetadataStore store;
  private final ReentrantLock lock = new ReentrantLock(); // also across writes: they are few
  private final Map<FileKey, Note> notes = new HashMap<>(); // guarded by lock
  private final Map<FileKey, Integer> underWay = new HashMap<>(); // guarded by lock

  MetadataFiles(MetadataStore store) {
    this.store = store;
  }

  MetadataStore store() {
    return store;
  }

  /** Something that needs a file; it is not left over until this is closed. */
  interface UnderWay extends AutoCloseable {
    @Override
    void close();
  }

  UnderWay begin(FileKey key) {
    lock.lock();
    try {
      underWay.merge(key, 1, Integer::sum);
    } finally {
      lock.unlock();
    }
    return () -> end(key);
  }

  private void end(FileKey key) {
    lock.lock();
    try {
      underWay.computeIfPresent(key, (same, count) -> count == 1 ? null : count - 1);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Keeps a file durably.
   *
   * @throws ConflictException if there is another one of that name
   */
  void keep(FileKey key, Bytes file) {
    check(key, file);
    lock.lock();
    try {
      Optional<Stored> there = readable(key);
      if (there.isPresent() && !there.get().file().equals(file)) {
        throw new ConflictException(key + " is there already, and says something else");
      }
      // Whatever was found out about an earlier file of that name does not hold for this one.
      notes.remove(key);
      store.write(key, file);
    } finally {
      lock.unlock();
    }
  }

  private static void check(FileKey key, Bytes file) {
    Metadata metadata;
    try {
      metadata = MetadataFile.decode(key.toString(), file);
    } catch (CorruptDataException e) {
      throw new InvalidRequestException("what was sent is no METADATA file: " + e.getMessage(), e);
    }
    FileKey found = new FileKey(metadata.table(), metadata.txn());
    if (!found.equals(key)) {
      throw new InvalidRequestException("what was sent as " + key + " is " + found);
    }
  }

  /** None too if it is not what was written. */
  Optional<Stored> readable(FileKey key) {
    try {
      return store.read(key);
    } catch (CorruptDataException e) {
      return Optional.empty();
    }
  }

  /**
   * Drops a file. Whoever asks for it may be wrong: so the coordination service is asked first.
   *
   * @throws ConflictException if it is valid
   */
  void dropUnlessValid(FileKey key, TableLookup lookup) {
    boolean valid =
        lookup
            .find(key.table())
            .map(each -> each.config().metadataTxn().equals(key.txn()))
            .orElse(false);
    if (valid) {
      throw new ConflictException(key + " is valid: it cannot be dropped");
    }
    lock.lock();
    try {
      store.drop(key);
      notes.remove(key);
    } finally {
      lock.unlock();
    }
  }

  // ---- what may be left over

  /** Forgets what was noted about files that are gone. */
  void retain(List<FileKey> there) {
    Set<FileKey> files = new HashSet<>(there);
    lock.lock();
    try {
      notes.keySet().retainAll(files);
    } finally {
      lock.unlock();
    }
  }

  /** What was noted about a file first; none while something needs it. */
  @Nullable Note note(FileKey key, Note now) {
    lock.lock();
    try {
      return underWay.containsKey(key) ? null : notes.computeIfAbsent(key, same -> now);
    } finally {
      lock.unlock();
    }
  }

  /** Drops a file, unless it was stored again, or is needed, since the note was made. */
  boolean dropNoted(FileKey key, Note note) {
    lock.lock();
    try {
      if (underWay.containsKey(key) || notes.get(key) != note) {
        return false;
      }
      store.drop(key);
      notes.remove(key);
      return true;
    } finally {
      lock.unlock();
    }
  }
}
