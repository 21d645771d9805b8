package io.stele.tables.tablet;

import io.stele.base.error.FencedException;
import io.stele.base.error.SteleException;
import io.stele.base.file.FilePath;
import io.stele.tables.event.TableEvent;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.LongConsumer;

/**
 * Sees to it that META learns of edits that were put in place, and answers for what must stay until
 * it has: the new files, which no configuration names yet, and the log that has their cells.
 *
 * <pre>
 *   put in place ─► save, tried again while META is away ─► durable ─► files settled, log let go
 *                     ├─ another server has the tablet: it has read this server's log ───┘
 *                     └─ cannot succeed: reported; files and log stay, and a restart replays it
 * </pre>
 *
 * Nobody waits for a save. Each tablet is saved for itself, so that one that was lost does not keep
 * the log from being let go for the others.
 */
public record EditSaver(ServerParts server, TabletConfigs configs) {
  /**
   * Saves the configurations that edits changed.
   *
   * @param files that they name now and did not before
   * @param durable gets the newest transaction of META that it became; 0 if none
   */
  public void save(Collection<Edited> edits, Collection<FilePath> files, LongConsumer durable) {
    List<CompletableFuture<Long>> saves = new ArrayList<>();
    for (Edited edited : edits) {
      edited.reconfigured().forEach(tablet -> saves.add(save(edited.table(), tablet)));
    }
    var _ =
        CompletableFuture.allOf(saves.toArray(CompletableFuture<?>[]::new))
            .whenComplete(
                (_, failure) -> {
                  if (failure == null) {
                    files.forEach(server.names()::settled);
                    durable.accept(
                        saves.stream().mapToLong(CompletableFuture::join).max().orElse(0));
                  } else {
                    server.report(
                        new TableEvent.BackgroundFailed(
                            "saving configurations of tables "
                                + edits.stream().map(each -> each.table().name()).toList(),
                            failure instanceof Exception e ? e : new RuntimeException(failure)));
                  }
                });
  }

  private CompletableFuture<Long> save(Table table, Tablet tablet) {
    try {
      return configs.save(table, List.of(tablet)).exceptionallyCompose(this::unlessLost);
    } catch (SteleException e) { // the configuration is a file, and could not be written
      return CompletableFuture.failedFuture(e);
    }
  }

  private CompletableFuture<Long> unlessLost(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    return cause instanceof FencedException && server.sequencer().mayAnswer()
        ? CompletableFuture.completedFuture(0L)
        : CompletableFuture.failedFuture(cause);
  }
}
