package io.stele.bench.driver;

import java.util.List;

/**
 * A table store of several servers, as its own client library and its administration offer it.
 *
 * <p>What is tried is tried once, over a connection that was open before, and given up soon.
 */
public interface ClusterStore extends Store {
  /** Tries to write a field of a record: false as long as nobody takes it. */
  boolean tryWrite(String table, String key);

  /** Tries to read a record: false as long as nobody has it. */
  @Override
  boolean tryRead(String table, String key);

  /** Tries to make a table: false as long as nobody can. */
  boolean tryCreate(String table);

  /** Reads something of every row of a table, and counts them. */
  long count(String table) throws Exception;

  /** The addresses of the servers that count as living. */
  List<String> servers() throws Exception;

  /** How many tablets a server has. */
  int tablets(String address) throws Exception;

  /** Where the tablet of a row is, as the catalog says now: nothing remembered is used. */
  String locate(String table, String row) throws Exception;

  /** Moves the tablet of a row; returns when it is served there. */
  void move(String table, String row, String address) throws Exception;

  /** Moves the tablets of the catalog off a server, if it has any. */
  void moveCatalogOff(String address) throws Exception;

  /** Has tablets spread evenly over the servers, if that does not begin by itself. */
  void spread() throws Exception;
}
