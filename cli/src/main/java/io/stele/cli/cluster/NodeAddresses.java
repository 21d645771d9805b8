package io.stele.cli.cluster;

import io.stele.base.error.UnavailableException;
import io.stele.base.text.JsonReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Where a node is reached.
 *
 * @param nativeAddress by the client and the other nodes
 * @param datasetsAddress by HTTP, for datasets; empty where it serves none
 */
record NodeAddresses(String nativeAddress, String datasetsAddress) {
  /** Of a node that was never ready. */
  static final NodeAddresses NONE = new NodeAddresses("", "");

  /** Reads what a server wrote when it was ready. */
  static NodeAddresses read(Path file) throws IOException {
    if (JsonReader.read(Files.readString(file)) instanceof Map<?, ?> object
        && object.get("native") instanceof String address) {
      return new NodeAddresses(
          address, object.get("datasets") instanceof String datasets ? datasets : "");
    }
    throw new UnavailableException(file + " has no address \"native\"");
  }
}
