package io.stele.bench.driver;

import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;

/** Tables as maps in the driver's own process: what runs on it tests the benchmark, not a store. */
public class MemoryStore implements Store {
  private final Map<String, ConcurrentSkipListMap<String, byte[][]>> tables =
      new ConcurrentHashMap<>();
  private final boolean forgetful;

  protected MemoryStore(boolean forgetful) {
    this.forgetful = forgetful;
  }

  /** With the argument {@code forgetful} its scans leave a field out. */
  public static void main(String[] arguments) throws Exception {
    Driver.serve(new MemoryStore(List.of(arguments).contains("forgetful")));
  }

  /** The records of a table, by key. */
  protected final Map<String, byte[][]> rows(String table) {
    return table(table);
  }

  private ConcurrentSkipListMap<String, byte[][]> table(String name) {
    ConcurrentSkipListMap<String, byte[][]> table = tables.get(name);
    if (table == null) {
      throw new NoSuchElementException("no table " + name);
    }
    return table;
  }

  @Override
  public boolean listens() {
    return true;
  }

  @Override
  public void create(String table, List<String> splits) {
    if (tables.putIfAbsent(table, new ConcurrentSkipListMap<>()) != null) {
      throw new IllegalArgumentException("table " + table + " exists");
    }
  }

  @Override
  public void drop(String table) {
    table(table).clear();
    tables.remove(table);
  }

  @Override
  public void flush(String table) {
    table(table);
  }

  @Override
  public void insert(String table, String key, byte[][] fields) {
    table(table).put(key, fields);
  }

  @Override
  public void insertAll(String table, List<String> keys, List<byte[][]> records) {
    for (int i = 0; i < keys.size(); i++) {
      insert(table, keys.get(i), records.get(i));
    }
  }

  @Override
  public void update(String table, String key, int field, byte[] value) {
    byte[][] record = table(table).get(key);
    if (record == null) {
      throw new NoSuchElementException("no record " + key);
    }
    record[field] = value;
  }

  @Override
  public int read(String table, String key) {
    byte[][] record = table(table).get(key);
    return record == null ? 0 : record.length;
  }

  @Override
  public Found scan(String table, String start, int rows) {
    int found = (int) table(table).tailMap(start).keySet().stream().limit(rows).count();
    return new Found(found, found * Records.FIELDS - (forgetful ? 1 : 0));
  }

  @Override
  public boolean tryRead(String table, String key) {
    return table(table).containsKey(key);
  }

  @Override
  public void close() {}
}
