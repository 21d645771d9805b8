package io.stele.it.tables;

import static io.stele.testkit.table.TableFixture.answer;
import static io.stele.testkit.table.TableFixture.batch;
import static io.stele.testkit.table.TableFixture.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.cell.CellBatch;
import io.stele.base.error.ExhaustedException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.process.ServerProcess;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.Tables;
import io.stele.client.Stele;
import io.stele.it.process.Servers;
import io.stele.testkit.run.LongRun;
import io.stele.testkit.table.TableFixture;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Many large rows at once for a server with little memory. They once ran it out of memory, and its
 * commit log with it. Files are not merged meanwhile: a compaction still needs memory for a block
 * of each of its files, and a block has a large cell as a whole.
 */
@Timeout(120)
class LargeRowsIT {
  private static final int WRITERS = 12;
  private static final int BYTES = 50 << 20;

  @TempDir Path folder;

  @Test
  @Tag(LongRun.TAG)
  void eachIsAcceptedOrRefusedAndTheLogGoesOn() {
    try (ServerProcess server =
        Servers.server(folder.resolve("data"), "--set", "tables.automatic=false")) {
      server.start();
      try (Stele stele = client(server)) {
        stele.tables().create("t", TableSchema.ofFamilies("f"), List.of());
        TableFixture table = new TableFixture(stele.rows(), "t");
        table.apply(put("before", "f:", 1, "x"));
        CellBatch large = batch(put("large", "f:", 1, "v".repeat(BYTES)));
        List<SteleException> refused = writeTogether(server, large);
        System.out.printf("%d of %d large rows were refused%n", refused.size(), WRITERS);
        assertThat(refused).allSatisfy(LargeRowsIT::checkRefused);
        assertThat(refused).as("not all of them").hasSizeLessThan(WRITERS);
        table.apply(put("after", "f:", 1, "x"));
        assertThat(table.row("before")).hasSize(1);
        assertThat(table.row("after")).hasSize(1);
        assertThat(server.log()).doesNotContain("OutOfMemory").doesNotContain("has died");
      }
    }
  }

  /** With the numbers; or the client's time was over while its row was on its way. */
  private static void checkRefused(SteleException problem) {
    if (problem instanceof OutcomeUnknownException) {
      assertThat(problem).hasMessageContaining("is too slow");
    } else {
      assertThat(problem)
          .isInstanceOf(ExhaustedException.class)
          .hasMessageMatching("(?s).*[0-9]+ bytes.*");
    }
  }

  /** Each by a client of its own: one sends its large rows one after the other. */
  private static List<SteleException> writeTogether(ServerProcess server, CellBatch row) {
    List<SteleException> refused = new ArrayList<>();
    CyclicBarrier ready = new CyclicBarrier(WRITERS);
    List<CompletableFuture<Void>> writers = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      writers.add(
          CompletableFuture.runAsync(
              () -> {
                try (Stele stele = client(server)) {
                  var _ = stele.tables().list(false); // connects
                  ready.await();
                  long _ = answer(stele.rows().apply("t", row, Tables.ANY_TXN, true));
                } catch (SteleException e) {
                  synchronized (refused) {
                    refused.add(e);
                  }
                } catch (InterruptedException | BrokenBarrierException e) {
                  throw new AssertionError(e);
                }
              },
              Thread::startVirtualThread));
    }
    writers.forEach(CompletableFuture::join);
    return refused;
  }

  private static Stele client(ServerProcess server) {
    return Stele.builder().endpoints(server.address()).timeout(Duration.ofSeconds(30)).connect();
  }
}
