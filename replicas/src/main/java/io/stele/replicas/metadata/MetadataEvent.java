package io.stele.replicas.metadata;

import io.stele.base.event.Event;
import java.util.List;

/** What becomes of the METADATA of tables, for operators and tests. */
public sealed interface MetadataEvent extends Event {
  @Override
  default Level level() {
    return Level.INFO;
  }

  /** A change is valid. */
  record Committed(String table, MetadataChange.Operation operation, String txn, long sequence)
      implements MetadataEvent {
    @Override
    public String text() {
      return "METADATA of table %s is at %d (%s) after %s"
          .formatted(table, sequence, txn, operation);
    }
  }

  /** A change came to nothing. */
  record Aborted(String table, String txn, String why) implements MetadataEvent {
    @Override
    public Level level() {
      return Level.DEBUG;
    }

    @Override
    public String text() {
      return "METADATA %s of table %s came to nothing: %s".formatted(txn, table, why);
    }
  }

  /** The metadata servers of a table are others. */
  record ServersChanged(String table, List<String> servers) implements MetadataEvent {
    public ServersChanged {
      servers = List.copyOf(servers);
    }

    @Override
    public String text() {
      return "METADATA of table %s is kept by %s".formatted(table, servers);
    }
  }

  /** A file that was missing here, or not what was written, came from another server. */
  record Fetched(String table, String txn, String from) implements MetadataEvent {
    @Override
    public String text() {
      return "METADATA %s of table %s fetched from %s".formatted(txn, table, from);
    }
  }

  /** A file is not what was written. */
  record Corrupt(String table, String txn, String problem) implements MetadataEvent {
    @Override
    public Level level() {
      return Level.ERROR;
    }

    @Override
    public String text() {
      return "METADATA %s of table %s is not served: %s".formatted(txn, table, problem);
    }
  }

  /** A file that is not valid any more, or never was, is gone. */
  record Dropped(String table, String txn) implements MetadataEvent {
    @Override
    public Level level() {
      return Level.DEBUG;
    }

    @Override
    public String text() {
      return "METADATA %s of table %s dropped".formatted(txn, table);
    }
  }

  /** A table is known here and not to the coordination service, which has no record of its drop. */
  record NotListed(String table, String id) implements MetadataEvent {
    @Override
    public Level level() {
      return Level.ERROR;
    }

    @Override
    public String text() {
      return ("table \"%s\" (%s) is not listed in the metastore, which has no record that it was"
              + " dropped: its replicas are kept and served. List it again by `stele replica"
              + " metadata adopt`, or drop it by `stele table drop`")
          .formatted(table, id);
    }
  }

  /** A table is listed again in a coordination service that had lost it. */
  record Adopted(String table, String id, long sequence) implements MetadataEvent {
    @Override
    public String text() {
      return "table \"%s\" (%s) is listed in the metastore again, with METADATA %d"
          .formatted(table, id, sequence);
    }
  }

  /** Something failed in the background; it is tried again. */
  record Failed(String what, Exception cause) implements MetadataEvent {
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
