package io.stele.replicas.metadata;

import io.stele.base.error.InvalidRequestException;

/**
 * A server's part in a partition.
 *
 * @param server the id of its data directory: a wiped server is another one
 * @param id unique for ever, so that a server which had the partition before, and has it again, is
 *     not taken for having what it was sent then
 */
public record Assignment(String server, String id) {
  public Assignment {
    if (server.isEmpty() || id.isEmpty()) {
      throw new InvalidRequestException(
          "assignment \"" + id + "\" of server \"" + server + "\": both must have names");
    }
  }

  @Override
  public String toString() {
    return server + "/" + id;
  }
}
