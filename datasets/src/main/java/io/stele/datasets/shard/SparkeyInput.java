package io.stele.datasets.shard;

import com.spotify.sparkey.LogHeader;
import com.spotify.sparkey.Sparkey;
import com.spotify.sparkey.SparkeyLogIterator;
import com.spotify.sparkey.SparkeyReader;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.input.BrokenInputException;
import io.stele.base.input.RecordInput;
import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a Sparkey log, which is copied to this machine first, since the library reads
 * nothing but local files.
 *
 * <p>A log without deletions is read as it is; the last put of a key wins where it is stored. One
 * with deletions is given an index, and what the index leads to is read.
 */
final class SparkeyInput implements RecordInput {
  private final String name;
  private final LogHeader header;
  private final @Nullable SparkeyReader indexed;
  private final Iterator<SparkeyReader.Entry> entries;
  private SparkeyReader.@Nullable Entry entry;
  private long records;
  private long bytes;

  private SparkeyInput(
      String name,
      LogHeader header,
      @Nullable SparkeyReader indexed,
      Iterator<SparkeyReader.Entry> entries) {
    this.name = name;
    this.header = header;
    this.indexed = indexed;
    this.entries = entries;
  }

  static SparkeyInput open(FileStore store, FilePath path, Path scratch) throws IOException {
    File log = scratch.resolve("input.spl").toFile();
    Files.createDirectories(scratch);
    long length;
    try (InputStream input = new StoreStream(store, path)) {
      length = Files.copy(input, log.toPath());
    }
    try {
      LogHeader header = Sparkey.getLogHeader(log);
      if (header.getDataEnd() != length) {
        throw new BrokenInputException(
            path.value(),
            length,
            "it is " + length + " bytes long and should be " + header.getDataEnd());
      }
      if (header.getNumDeletes() == 0) {
        return new SparkeyInput(path.value(), header, null, new SparkeyLogIterator(log).iterator());
      }
      Sparkey.writeHash(log);
      SparkeyReader reader = Sparkey.openSingleThreadedReader(Sparkey.getIndexFile(log));
      return new SparkeyInput(path.value(), header, reader, reader.iterator());
    } catch (BrokenInputException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      throw new BrokenInputException(path.value(), 0, "no sound Sparkey log: " + e, e);
    }
  }

  @Override
  public boolean next() throws IOException {
    try {
      if (!entries.hasNext()) {
        checkCount();
        return false;
      }
      SparkeyReader.Entry next = entries.next();
      entry = next;
      records++;
      bytes += next.getKeyLength() + next.getValueLength();
      return true;
    } catch (RuntimeException e) {
      throw broken(e);
    }
  }

  /** What is read sequentially must be all that its writer counted. */
  private void checkCount() throws BrokenInputException {
    if (indexed == null && records != header.getNumPuts()) {
      throw new BrokenInputException(
          name, bytes, records + " entries, and its head says " + header.getNumPuts());
    }
  }

  private BrokenInputException broken(Exception cause) {
    return new BrokenInputException(
        name, bytes, "damaged entry " + (records + 1) + ": " + cause, cause);
  }

  private SparkeyReader.Entry entry() {
    if (entry == null) {
      throw new IllegalStateException("no record: next() was not called");
    }
    return entry;
  }

  @Override
  public byte[] key() {
    return entry().getKey().clone();
  }

  @Override
  public byte[] value() throws IOException {
    try {
      byte[] value = entry().getValue();
      if (value.length != entry().getValueLength()) {
        throw new EOFException("the value ends early");
      }
      return value;
    } catch (IOException | RuntimeException e) {
      throw broken(e);
    }
  }

  @Override
  public long position() {
    return bytes;
  }

  @Override
  public void close() {
    if (indexed != null) {
      indexed.close();
    }
  }
}
