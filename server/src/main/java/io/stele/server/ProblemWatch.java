package io.stele.server;

import io.stele.base.event.Event;
import io.stele.base.event.Events;
import io.stele.base.event.Subscription;
import io.stele.server.cluster.ClusterEvent;
import io.stele.tables.event.TableEvent;

/**
 * Turns events of tablet tables into the problems that an inspection of the server tells, and takes
 * them back when they are over. What cannot be read or written is a problem until it can be; a
 * tablet server that begins again begins without problems, since it looks at its disk first.
 */
final class ProblemWatch {
  private static final String DISK = "disk of tables";
  private static final String WRITES = "files of tables";
  private static final String SERVER = "tablet server";
  private static final String FILE = "file ";

  private final Inspection inspection;

  private ProblemWatch(Inspection inspection) {
    this.inspection = inspection;
  }

  /** Watches until the answer is closed. */
  static Subscription start(Events events, Inspection inspection) {
    ProblemWatch watch = new ProblemWatch(inspection);
    return events.subscribe(Event.class, watch::see);
  }

  private void see(Event event) {
    switch (event) {
      case TableEvent.DiskLow low -> inspection.problem(DISK, low.text());
      case TableEvent.DiskHasRoom _ -> inspection.solved(DISK);
      case TableEvent.FileUnreadable file -> inspection.problem(FILE + file.file(), file.text());
      case TableEvent.FileReadable file -> inspection.solved(FILE + file.file());
      case TableEvent.FileNotWritten file -> inspection.problem(WRITES, file.text());
      case TableEvent.FilesWritable _ -> inspection.solved(WRITES);
      case ClusterEvent.LogFailed failed -> inspection.problem(SERVER, failed.text());
      case ClusterEvent.NotTakingPart waits when waits.what().startsWith(SERVER) ->
          inspection.problem(SERVER, waits.text());
      case ClusterEvent.Joined _, ServerEvent.TablesAgain _ -> beginAgain();
      default -> {}
    }
  }

  private void beginAgain() {
    inspection.solved(DISK);
    inspection.solved(WRITES);
    inspection.solved(SERVER);
    inspection.solvedAll(FILE);
  }
}
