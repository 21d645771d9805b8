package io.stele.client.cluster;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.table.Cluster;
import io.stele.base.table.StoredFiles;
import io.stele.base.table.TableAdmin;
import io.stele.base.table.TabletInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A server that has its files to itself: tells what it has, META aside, and nothing can be moved.
 */
public final class LoneServer implements Cluster {
  private static final int ACTIVE = 5;

  private final String address;
  private final TableAdmin tables;
  private final StoredFiles files;

  /**
   * A server by itself.
   *
   * @param address as it is to be told
   */
  public LoneServer(String address, TableAdmin tables, StoredFiles files) {
    this.files = files;
    this.address = address;
    this.tables = tables;
  }

  @Override
  public Status status() {
    int count = 0;
    long fileBytes = 0;
    long memoryBytes = 0;
    List<String> unserved = new ArrayList<>();
    for (String table : tables.list(false)) {
      for (TabletInfo tablet : tables.tablets(table)) {
        count++;
        fileBytes += tablet.fileBytes();
        memoryBytes += tablet.memoryBytes();
        if (tablet.state() < ACTIVE) {
          unserved.add(
              table
                  + " up to "
                  + tablet.last().map(Bytes::toString).orElse("its end")
                  + ": "
                  + tablet.stateName());
        }
      }
    }
    ServerStatus server =
        new ServerStatus(
            address, "", false, count - unserved.size(), fileBytes, memoryBytes, 0, 0, "");
    return new Status(address, 0, List.of(server), count, List.copyOf(unserved), List.of());
  }

  @Override
  public List<Move> balance(boolean apply) {
    return List.of();
  }

  @Override
  public int drain(String server, boolean on) {
    throw alone("draining " + server);
  }

  @Override
  public Move move(String table, Bytes row, String to) {
    throw alone("moving row " + row + " of table \"" + table + "\" to " + to);
  }

  @Override
  public Garbage collectFiles(boolean apply) {
    return files.collectFiles(apply);
  }

  @Override
  public List<TrashedFile> trashedFiles() {
    return files.trashedFiles();
  }

  @Override
  public List<String> restoreFiles(String path) {
    return files.restoreFiles(path);
  }

  @Override
  public Emptied emptyTrash(Duration age) {
    return files.emptyTrash(age);
  }

  private InvalidRequestException alone(String what) {
    return new InvalidRequestException(
        what + ": " + address + " is a server by itself, and not one of a cluster");
  }
}
