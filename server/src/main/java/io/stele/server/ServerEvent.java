package io.stele.server;

import io.stele.base.event.Event;

/** What happens to a server as a whole. */
public sealed interface ServerEvent extends Event {

  @Override
  default Level level() {
    return Level.INFO;
  }

  /** It serves, or waits to be made a member. */
  record Started(String directory, String address, boolean formed) implements ServerEvent {
    @Override
    public String text() {
      return "%s at %s, data in %s"
          .formatted(
              formed ? "serves" : "belongs to no group yet and waits to be made a member",
              address,
              directory);
    }
  }

  /** The last member of a group became one of its own. */
  record NewClusterForced(String group) implements ServerEvent {
    @Override
    public Level level() {
      return Level.WARN;
    }

    @Override
    public String text() {
      return "took over what it has as a new group, "
          + group
          + ": members of the old one must not be started again; start without"
          + " --force-new-cluster from now on";
    }
  }

  /** It was told to stop. */
  record Stopping(String directory) implements ServerEvent {
    @Override
    public String text() {
      return "stops, data in " + directory;
    }
  }

  /** It has tables, and cannot serve them before it leads its group. */
  record TablesWait(Exception cause) implements ServerEvent {
    @Override
    public Level level() {
      return Level.WARN;
    }

    @Override
    public String text() {
      return "tables are served as soon as this member leads: " + cause.getMessage();
    }
  }

  /** The commit log of its tables cannot be written: they are read only until it is replaced. */
  record LogFailed(String problem) implements ServerEvent {
    @Override
    public Level level() {
      return Level.ERROR;
    }

    @Override
    public String text() {
      return "tables take no writes, because their commit log cannot be written; make room on the"
          + " disk or replace it, they are opened again by themselves: "
          + problem;
    }
  }

  /** Its tables, whose log had failed, are served again. */
  record TablesAgain() implements ServerEvent {
    @Override
    public String text() {
      return "tables were opened again, and take writes";
    }
  }

  /** It was told to look for versions of datasets, and could not. */
  record RefreshFailed(Exception cause) implements ServerEvent {
    @Override
    public Level level() {
      return Level.WARN;
    }

    @Override
    public String text() {
      return "cannot look for versions of datasets: " + cause.getMessage();
    }
  }

  /** Something failed while it stopped; the rest is stopped all the same. */
  record StopFailed(String what, Exception cause) implements ServerEvent {
    @Override
    public Level level() {
      return Level.WARN;
    }

    @Override
    public String text() {
      return "stopping " + what + " failed: " + cause;
    }
  }
}
