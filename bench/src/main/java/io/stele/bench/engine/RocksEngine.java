package io.stele.bench.engine;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.rocksdb.FlushOptions;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteOptions;

/** An open database of RocksDB's. */
final class RocksEngine implements Engine {
  private final RocksDB db;
  private final Natives natives;
  private final Records records;
  private final ReadOptions read;
  private final WriteOptions synced;
  private final WriteOptions unsynced;

  /** The database is among the natives, which are closed with this. */
  RocksEngine(RocksDB db, Natives natives, Records records) {
    this.db = db;
    this.natives = natives;
    this.records = records;
    this.read = natives.keep(new ReadOptions());
    this.synced = natives.keep(new WriteOptions()).setSync(true);
    this.unsynced = natives.keep(new WriteOptions()).setSync(false);
  }

  @Override
  public Access puts(boolean sync) {
    WriteOptions options = sync ? synced : unsynced;
    byte[] key = new byte[Records.KEY_BYTES];
    return record -> {
      records.key(record, key);
      db.put(
          options,
          key,
          0,
          key.length,
          records.values(),
          records.valueOffset(record),
          records.valueSize());
    };
  }

  @Override
  public void syncLog() throws Exception {
    db.flushWal(true);
  }

  @Override
  public void flushAndCompact() throws Exception {
    try (FlushOptions options = new FlushOptions().setWaitForFlush(true)) {
      db.flush(options);
    }
    db.compactRange();
  }

  @Override
  public List<Way> gets() {
    return List.of(
        new Way("get into an array", true, this::arrayGets),
        new Way("get into a direct buffer", true, this::bufferGets));
  }

  private Access arrayGets() {
    byte[] key = new byte[Records.KEY_BYTES];
    byte[] value = new byte[records.valueSize()];
    return record -> {
      records.key(record, key);
      records.check(record, value, 0, db.get(read, key, value));
    };
  }

  private Access bufferGets() {
    byte[] key = new byte[Records.KEY_BYTES];
    ByteBuffer keyBuffer = buffer(Records.KEY_BYTES);
    ByteBuffer value = buffer(records.valueSize());
    return record -> {
      records.key(record, key);
      keyBuffer.clear().put(0, key);
      value.clear();
      int length = db.get(read, keyBuffer, value);
      records.check(record, length, value.getLong(0));
    };
  }

  @Override
  public List<Way> scans() {
    List<Way> ways = new ArrayList<>();
    for (IteratorBytes.Kind kind : IteratorBytes.Kind.values()) {
      ways.add(new Way(kind.toString(), true, () -> scan(kind)));
    }
    return ways;
  }

  private Access scan(IteratorBytes.Kind kind) {
    IteratorBytes bytes = IteratorBytes.of(kind, records.valueSize());
    return _ -> {
      long rows = 0;
      long fold = 0;
      try (RocksIterator iterator = db.newIterator(read)) {
        for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
          fold ^= bytes.foldKey(iterator) ^ bytes.foldValue(iterator);
          rows++;
        }
        iterator.status();
      }
      records.checkScan(rows, fold);
    };
  }

  @Override
  public List<Way> seeks(int cells) {
    List<Way> ways = new ArrayList<>();
    for (IteratorBytes.Kind kind : IteratorBytes.Kind.values()) {
      ways.add(new Way("one iterator, " + kind, true, () -> new OneIterator(kind, cells)));
    }
    IteratorBytes.Kind kind = IteratorBytes.Kind.ARRAYS;
    ways.add(new Way("an iterator each time", false, () -> new NewIterator(kind, cells)));
    return ways;
  }

  /** Seeks with one iterator: what was written since it was made stays unseen. */
  private final class OneIterator implements Access {
    private final Walk walk;
    private final RocksIterator iterator = db.newIterator(read);

    OneIterator(IteratorBytes.Kind kind, int cells) {
      walk = new Walk(kind, cells);
    }

    @Override
    public void to(long record) throws Exception {
      walk.from(iterator, record);
    }

    @Override
    public void close() {
      iterator.close();
      Records.keep(walk.fold);
    }
  }

  /** Makes an iterator for every seek: it sees what was written up to then. */
  private final class NewIterator implements Access {
    private final Walk walk;

    NewIterator(IteratorBytes.Kind kind, int cells) {
      walk = new Walk(kind, cells);
    }

    @Override
    public void to(long record) throws Exception {
      try (RocksIterator iterator = db.newIterator(read)) {
        walk.from(iterator, record);
      }
    }

    @Override
    public void close() {
      Records.keep(walk.fold);
    }
  }

  /** A seek and the steps behind it. */
  private final class Walk {
    private final IteratorBytes bytes;
    private final int cells;
    private final byte[] key = new byte[Records.KEY_BYTES];
    private final byte[] found = new byte[Records.KEY_BYTES];
    private long fold;

    Walk(IteratorBytes.Kind kind, int cells) {
      this.bytes = IteratorBytes.of(kind, records.valueSize());
      this.cells = cells;
    }

    void from(RocksIterator iterator, long record) throws Exception {
      records.key(record, key);
      iterator.seek(key);
      if (!iterator.isValid() || iterator.key(found) != key.length || !Arrays.equals(key, found)) {
        throw new IllegalStateException("a seek did not find the key of record " + record);
      }
      int left = cells;
      do {
        fold ^= bytes.foldValue(iterator);
      } while (--left > 0 && step(iterator));
    }

    private static boolean step(RocksIterator iterator) {
      iterator.next();
      return iterator.isValid();
    }
  }

  private static ByteBuffer buffer(int bytes) {
    return ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  @Override
  public void close() throws Exception {
    natives.close();
  }
}
