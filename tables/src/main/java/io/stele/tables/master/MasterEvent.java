package io.stele.tables.master;

import io.stele.base.event.Event;
import java.util.concurrent.TimeUnit;

/** What a master does that an operator or a test may want to know. */
public sealed interface MasterEvent extends Event {
  @Override
  default Level level() {
    return Level.INFO;
  }

  record Leads(String address, long token) implements MasterEvent {
    @Override
    public String text() {
      return "%s is master now, with token %d".formatted(address, token);
    }
  }

  record ServerJoined(LiveServer server) implements MasterEvent {
    @Override
    public String text() {
      return "tablet server %s has joined as %s".formatted(server.address(), server.run());
    }
  }

  record ServerLost(LiveServer server) implements MasterEvent {
    @Override
    public Level level() {
      return Level.WARN;
    }

    @Override
    public String text() {
      return "tablet server %s has lost its session as %s: others get its tablets"
          .formatted(server.address(), server.run());
    }
  }

  record Assigned(String server, int tablets, long nanos) implements MasterEvent {
    @Override
    public String text() {
      return "%s serves %d more tablets, after %d ms"
          .formatted(server, tablets, TimeUnit.NANOSECONDS.toMillis(nanos));
    }
  }

  /** A tablet is not served yet; it is tried again. */
  record AssignmentFailed(String tablet, String server, Exception cause) implements MasterEvent {
    @Override
    public Level level() {
      return Level.WARN;
    }

    @Override
    public String text() {
      return "%s could not be loaded by %s, and will be tried again: %s"
          .formatted(tablet, server, cause);
    }
  }

  /** A tablet cannot be served until somebody does something about it. */
  record Unservable(String tablet, String problem) implements MasterEvent {
    @Override
    public Level level() {
      return Level.ERROR;
    }

    @Override
    public String text() {
      return "%s cannot be served until this is repaired: %s".formatted(tablet, problem);
    }
  }

  /** META was damaged in a way that has one cause and one repair. */
  record Repaired(String table, String problem, String repair) implements MasterEvent {
    @Override
    public Level level() {
      return Level.WARN;
    }

    @Override
    public String text() {
      return "repaired META of table %s: %s: %s".formatted(table, problem, repair);
    }
  }

  record Moved(String tablet, String from, String to, String reason, long nanos)
      implements MasterEvent {
    @Override
    public String text() {
      return "moved %s from %s to %s in %d ms (%s)"
          .formatted(tablet, from, to, TimeUnit.NANOSECONDS.toMillis(nanos), reason);
    }
  }

  record MoveFailed(String tablet, String from, String to, Exception cause) implements MasterEvent {
    @Override
    public Level level() {
      return Level.WARN;
    }

    @Override
    public String text() {
      return "%s was not moved from %s to %s: %s".formatted(tablet, from, to, cause);
    }
  }

  record FilesTrashed(int files, long bytes) implements MasterEvent {
    @Override
    public String text() {
      return "moved %d files of %d bytes that nothing needs to the trash".formatted(files, bytes);
    }
  }

  /** Files whose time in the trash was over are gone for good. */
  record TrashEmptied(int files, long bytes) implements MasterEvent {
    @Override
    public String text() {
      return "deleted %d files of %d bytes from the trash".formatted(files, bytes);
    }
  }

  /** The disk is nearly full, so files in the trash were deleted before their time was over. */
  record TrashGaveWay(int files, long bytes) implements MasterEvent {
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

  record CollectionBlocked(String why) implements MasterEvent {
    @Override
    public Level level() {
      return Level.WARN;
    }

    @Override
    public String text() {
      return "no file is moved to the trash: " + why;
    }
  }

  /** Work in the background failed, and will be tried again. */
  record BackgroundFailed(String what, Exception cause) implements MasterEvent {
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
