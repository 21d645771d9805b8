package io.stele.bench.table;

import io.stele.bench.Side;
import java.nio.file.Path;

/** A side with one server, and clients in a process of their own. */
interface TableSide extends Side {
  /** Starts a server with its data in a directory, and a driver for it. */
  TableServer start(Path directory) throws Exception;
}
