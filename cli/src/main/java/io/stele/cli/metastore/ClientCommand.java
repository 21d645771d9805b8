package io.stele.cli.metastore;

import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.cli.ConnectedCommand;
import io.stele.cli.Connection;
import io.stele.client.metastore.MetastoreClient;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** A command that asks the metastore. */
abstract class ClientCommand extends ConnectedCommand {

  /** Does it, with a client that is closed afterwards, and says what the process ends with. */
  abstract int run(MetastoreClient client) throws Exception;

  /** Whom to ask where the user does not say it. */
  List<String> otherwise() {
    return super.servers();
  }

  /** Looks at the arguments before anything is connected. */
  void check() throws Exception {}

  @Override
  protected final void prepare() throws Exception {
    check();
  }

  @Override
  protected final List<String> servers() {
    return otherwise();
  }

  @Override
  protected final int run(Connection connection) throws Exception {
    return run(connection.metastore());
  }

  /** Waits for an answer that comes without waiting; the client's errors stay what they are. */
  static <T> T answer(CompletableFuture<T> future) {
    try {
      return future.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new OutcomeUnknownException("interrupted while waiting for the answer", e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof SteleException problem
          ? problem
          : new UnavailableException("no answer: " + e.getCause(), e);
    }
  }
}
