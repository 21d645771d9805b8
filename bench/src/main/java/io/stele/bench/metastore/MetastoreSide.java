package io.stele.bench.metastore;

import io.stele.bench.Side;
import java.nio.file.Path;

/** A side whose members are processes that form one group. */
interface MetastoreSide extends Side {
  /** Starts members with their data in a directory, and waits until they serve. */
  Group start(Path directory, int members) throws Exception;
}
