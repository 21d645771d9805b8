package io.stele.metastore.raft;

import io.stele.base.error.InvalidRequestException;

/**
 * One of the servers that keep the log.
 *
 * @param id for ever; letters, digits, {@code _} and {@code -}
 * @param raftAddress {@code host:port} where the members replicate the log
 * @param serviceAddress {@code host:port} of its native service, for clients and for forwarding
 */
public record Member(String id, String raftAddress, String serviceAddress) {
  public Member {
    if (!id.matches("[A-Za-z0-9_-]{1,64}")) {
      throw new InvalidRequestException(
          "member id \"" + id + "\": must be 1 to 64 letters, digits, _ or -");
    }
    checkAddress(id, raftAddress);
    checkAddress(id, serviceAddress);
  }

  private static void checkAddress(String id, String address) {
    int colon = address.lastIndexOf(':');
    if (colon < 1 || !address.substring(colon + 1).matches("[0-9]{1,5}")) {
      throw new InvalidRequestException(
          "address \"" + address + "\" of member " + id + ": must be HOST:PORT");
    }
  }
}
