package io.stele.tables.event;

import io.stele.base.event.Event;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What happens in a tablet server that an operator or a test may want to know. */
public sealed interface TableEvent extends Event {
  @Override
  default Level level() {
    return Level.INFO;
  }

  /** The server serves; {@code replayed} records came from logs of earlier runs. */
  record Started(String server, int tables, int tablets, long replayed, long nanos)
      implements TableEvent {
    @Override
    public String text() {
      return "tablet server %s started: %d tables, %d tablets, %d log records replayed in %d ms"
          .formatted(server, tables, tablets, replayed, TimeUnit.NANOSECONDS.toMillis(nanos));
    }
  }

  record Flushed(String table, String group, String file, long cells, long txn, long nanos)
      implements TableEvent {
    @Override
    public String text() {
      return "flushed %d cells of %s/%s up to transaction %d to %s in %d ms"
          .formatted(cells, table, group, txn, file, TimeUnit.NANOSECONDS.toMillis(nanos));
    }
  }

  record Compacted(
      String table, String group, String tablet, String file, String reason, boolean kept)
      implements TableEvent {
    @Override
    public String text() {
      return "compacted %s/%s of %s into %s (%s)%s"
          .formatted(table, group, tablet, file, reason, kept ? "" : ", for nothing");
    }
  }

  /** A tablet that is being loaded takes writes; it is not read before it is {@link Loaded}. */
  record Writable(String tablet) implements TableEvent {
    @Override
    public Level level() {
      return Level.DEBUG;
    }

    @Override
    public String text() {
      return tablet + " takes writes";
    }
  }

  record Loaded(String tablet, int files, long replayed) implements TableEvent {
    @Override
    public String text() {
      return "loaded %s: %d files, %d log records replayed".formatted(tablet, files, replayed);
    }
  }

  record Unloaded(String tablet) implements TableEvent {
    @Override
    public String text() {
      return "unloaded " + tablet;
    }
  }

  /** META says that another server has a tablet that was served here. */
  record TabletLost(String tablet, String reason) implements TableEvent {
    @Override
    public Level level() {
      return Level.WARN;
    }

    @Override
    public String text() {
      return "%s is served here no more: %s".formatted(tablet, reason);
    }
  }

  /**
   * A tablet has come with cells whose time is in this server's future: until its clock is there,
   * cells get times just above those.
   */
  record ClockBehind(String server, long micros) implements TableEvent {
    @Override
    public Level level() {
      return Level.WARN;
    }

    @Override
    public String text() {
      return "the clock of %s is %d ms behind the clock of a server that had one of its tablets"
              .formatted(server, TimeUnit.MICROSECONDS.toMillis(micros))
          + ": cells get times above that clock's until it has caught up; synchronize the clocks";
    }
  }

  record Split(String tablet, String lower) implements TableEvent {
    @Override
    public String text() {
      return "split %s: the lower part is %s now".formatted(tablet, lower);
    }
  }

  record Joined(String tablet, String with) implements TableEvent {
    @Override
    public String text() {
      return "joined %s with %s".formatted(tablet, with);
    }
  }

  record SchemaChanged(String table, long version) implements TableEvent {
    @Override
    public String text() {
      return "table %s has another schema (version %d here)".formatted(table, version);
    }
  }

  /** A schema in META is not valid; the last one that was stays in force. */
  record SchemaIgnored(String table, String problem) implements TableEvent {
    @Override
    public Level level() {
      return Level.WARN;
    }

    @Override
    public String text() {
      return "schema of table %s ignored, the last valid one stays: %s".formatted(table, problem);
    }
  }

  record FilesTrashed(int files, long bytes) implements TableEvent {
    @Override
    public String text() {
      return "moved %d files of %d bytes that nothing needs to the trash".formatted(files, bytes);
    }
  }

  /** Files whose time in the trash was over are gone for good. */
  record TrashEmptied(int files, long bytes) implements TableEvent {
    @Override
    public String text() {
      return "deleted %d files of %d bytes from the trash".formatted(files, bytes);
    }
  }

  /** The disk is nearly full, so files in the trash were deleted before their time was over. */
  record TrashGaveWay(int files, long bytes) implements TableEvent {
    @Override
    public Level level() {
      return Level.WARN;
    }

    @Override
    public String text() {
      return "less than a tenth of the disk is free: deleted %d files of %d bytes from the trash"
              .formatted(files, bytes)
          + " before their time";
    }
  }

  /** Files that seem to be superfluous stay, since what says so may be wrong. */
  record CollectionBlocked(String why) implements TableEvent {
    @Override
    public Level level() {
      return Level.WARN;
    }

    @Override
    public String text() {
      return "no file is moved to the trash: " + why;
    }
  }

  /** Somebody decided that tablets are served without what is damaged in a log. */
  record LogSalvaged(String log, List<String> lost) implements TableEvent {
    public LogSalvaged {
      lost = List.copyOf(lost);
    }

    @Override
    public Level level() {
      return Level.WARN;
    }

    @Override
    public String text() {
      return "log " + log + " was salvaged; lost for good: " + String.join("; ", lost);
    }
  }

  /** A thread that works in the background has ended for good: the server must end, too. */
  record WorkerDied(String worker, Throwable cause) implements TableEvent {
    @Override
    public Level level() {
      return Level.ERROR;
    }

    @Override
    public String text() {
      return "the thread for " + worker + " has died, and the server ends: " + cause;
    }
  }

  /** A disk is nearly full, so writes are refused; reads go on. */
  record DiskLow(String shortage) implements TableEvent {
    @Override
    public Level level() {
      return Level.ERROR;
    }

    @Override
    public String text() {
      return shortage;
    }
  }

  /** The disks have room again. */
  record DiskHasRoom() implements TableEvent {
    @Override
    public String text() {
      return "the disks have room again: writes are accepted";
    }
  }

  /** A fragment could not be read, or is damaged: requests that need it fail. */
  record FileUnreadable(String file, String problem, boolean damaged) implements TableEvent {
    @Override
    public Level level() {
      return Level.ERROR;
    }

    @Override
    public String text() {
      return damaged
          ? "file %s is damaged, and rows in it cannot be read; bring back an intact copy: %s"
              .formatted(file, problem)
          : "file %s cannot be read; look at the disk, it is tried again: %s"
              .formatted(file, problem);
    }
  }

  /** A fragment that could not be read was read as a whole, or nothing needs it any more. */
  record FileReadable(String file) implements TableEvent {
    @Override
    public String text() {
      return "file " + file + " can be read again, or is no longer needed";
    }
  }

  /** Tablets are given to other servers, which may be able to read a file that this one cannot. */
  record HandedOver(String file, List<String> tablets) implements TableEvent {
    public HandedOver {
      tablets = List.copyOf(tablets);
    }

    @Override
    public Level level() {
      return Level.WARN;
    }

    @Override
    public String text() {
      return "file %s cannot be read here: handed over to other servers: %s"
          .formatted(file, String.join(", ", tablets));
    }
  }

  /**
   * A fragment could not be written: changes stay in memory and in the log.
   *
   * @param inARow how many fragments could not be written since the last that was
   */
  record FileNotWritten(String file, String problem, int inARow) implements TableEvent {
    @Override
    public Level level() {
      return inARow == 1 ? Level.ERROR : Level.DEBUG;
    }

    @Override
    public String text() {
      return "file %s cannot be written; changes stay in memory and in the log, and it is tried again: %s"
          .formatted(file, problem);
    }
  }

  /** Fragments can be written again. */
  record FilesWritable() implements TableEvent {
    @Override
    public String text() {
      return "files can be written again";
    }
  }

  /** Work in the background failed, and will be tried again. */
  record BackgroundFailed(String what, Exception cause) implements TableEvent {
    @Override
    public Level level() {
      return Level.WARN;
    }

    @Override
    public String text() {
      return what + " failed, and will be tried again: " + cause;
    }
  }
}
