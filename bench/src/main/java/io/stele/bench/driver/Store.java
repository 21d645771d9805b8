package io.stele.bench.driver;

import java.io.IOException;
import java.util.List;

/**
 * A table store as its own client library offers it: each call is one request of an application.
 * Any number of threads may share it. Changes are durable when a call returns.
 */
public interface Store extends AutoCloseable {
  /** The one family that the fields are in. */
  String FAMILY = "f";

  /** Whether the port that its library turns to first takes connections. */
  boolean listens();

  /** Creates a table of several parts that keeps one version of each field. */
  void create(String table, List<String> splits) throws Exception;

  void drop(String table) throws Exception;

  /** Writes what is in memory to files. */
  void flush(String table) throws Exception;

  void insert(String table, String key, byte[][] fields) throws Exception;

  /** Inserts many records with as few requests as the library can. */
  void insertAll(String table, List<String> keys, List<byte[][]> records) throws Exception;

  void update(String table, String key, int field, byte[] value) throws Exception;

  /** Reads all fields of a record; returns how many there are. */
  int read(String table, String key) throws Exception;

  /** Reads so many rows, all fields of each, from a key on. */
  Found scan(String table, String start, int rows) throws Exception;

  /**
   * Tries once to read a record over a new connection, and gives up after {@link
   * Probe#ATTEMPT_MILLIS}: false as long as the server is not there.
   */
  boolean tryRead(String table, String key);

  @Override
  void close() throws IOException;

  /** What a scan found. */
  record Found(int rows, int fields) {}

  static String field(int number) {
    return "field" + number;
  }
}
