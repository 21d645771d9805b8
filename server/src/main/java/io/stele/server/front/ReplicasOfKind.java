package io.stele.server.front;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.SteleException;
import io.stele.base.predicate.RowRange;
import io.stele.base.table.Replicas;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** What people ask of replicated tables; who asks it of another kind is told which it is. */
final class ReplicasOfKind implements Replicas {
  private final Replicas replicas;
  private final Predicate<String> isTabletTable;

  ReplicasOfKind(Replicas replicas, Predicate<String> isTabletTable) {
    this.replicas = replicas;
    this.isTabletTable = isTabletTable;
  }

  private <R> R ask(String table, Supplier<R> question) {
    try {
      return question.get();
    } catch (NotFoundException e) {
      if (isOfTablets(table)) {
        throw new InvalidRequestException(
            "table \"" + table + "\" is a tablet table, which has one owner and no replicas", e);
      }
      throw e;
    }
  }

  private void tell(String table, Runnable change) {
    ask(
        table,
        () -> {
          change.run();
          return true;
        });
  }

  private boolean isOfTablets(String table) {
    try {
      return isTabletTable.test(table);
    } catch (SteleException e) {
      return false; // nobody here can tell
    }
  }

  @Override
  public Status status(String table) {
    return ask(table, () -> replicas.status(table));
  }

  @Override
  public Metadata metadata(String table) {
    return ask(table, () -> replicas.metadata(table));
  }

  @Override
  public void joinMetadata(String table, String server) {
    tell(table, () -> replicas.joinMetadata(table, server));
  }

  @Override
  public void removeMetadata(String table, String server) {
    tell(table, () -> replicas.removeMetadata(table, server));
  }

  @Override
  public List<String> removeServer(String table, String server) {
    return ask(table, () -> replicas.removeServer(table, server));
  }

  @Override
  public List<String> adopt(boolean force) {
    return replicas.adopt(force);
  }

  @Override
  public Bytes split(String table, Bytes at, Bytes row) {
    return ask(table, () -> replicas.split(table, at, row));
  }

  @Override
  public List<Difference> verify(String table, RowRange rows) {
    return ask(table, () -> replicas.verify(table, rows));
  }

  @Override
  public long repair(String table, RowRange rows) {
    return ask(table, () -> replicas.repair(table, rows));
  }
}
