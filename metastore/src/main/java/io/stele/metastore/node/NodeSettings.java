package io.stele.metastore.node;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.settings.About;
import io.stele.base.settings.ByteSize;
import io.stele.metastore.txn.TransactionSettings;
import io.stele.metastore.watch.WatchSettings;
import java.time.Duration;

/** How a member works. */
public record NodeSettings(
    @About("How often the leader looks for deadlines that have passed; 0s for never by itself")
        Duration tick,
    @About("The shortest time to live that a session may ask for") Duration shortestSession,
    @About("The longest time to live that a session may ask for") Duration longestSession,
    @About("How long after the majority confirmed the leader a lease read may trust it")
        Duration lease,
    @About("How long changes can be read and watched after they were made; 0s for ever")
        Duration history,
    @About(
            "How many of the newest revisions can be read and watched; older ones are dropped once"
                + " a minute; 0 for no such bound")
        long historyRevisions,
    @About("How many revisions of old history are dropped at a time") int reclaim,
    @About("How many entries of the log are under way at a time, in a group of several members")
        int entriesInFlight,
    @About("How many entries of the log are under way at a time, in a group of one")
        int soloEntriesInFlight,
    @About("How many commands share an entry of the log at most") int entryCommands,
    @About("How large an entry of the log may grow by commands that share it") ByteSize entryBytes,
    @About("How many commands may wait for their turn in the log") int queuedCommands,
    @About("How large the commands that wait for their turn in the log may be together")
        ByteSize queuedBytes,
    @About(
            "How often the leader has all members digest their states, to compare them; 0s for"
                + " never")
        Duration fingerprints,
    TransactionSettings transactions,
    WatchSettings watch,
    NodeLimits limits) {
  public static final NodeSettings DEFAULT =
      new NodeSettings(
          Duration.ofMillis(100),
          Duration.ofMillis(500),
          Duration.ofHours(24),
          Duration.ofMillis(500),
          Duration.ofHours(1),
          0,
          1_000,
          1, // the larger the entries, the less a command costs: see bench/results
          2,
          4_096,
          ByteSize.ofMiB(1),
          65_536,
          ByteSize.ofMiB(64),
          Duration.ofHours(1),
          TransactionSettings.DEFAULT,
          WatchSettings.DEFAULT,
          NodeLimits.DEFAULT);

  public NodeSettings {
    check("tick", tick);
    check("lease", lease);
    check("history", history);
    check("fingerprints", fingerprints);
    if (historyRevisions < 0) {
      throw new InvalidRequestException(
          "setting history revisions of " + historyRevisions + ": must not be negative");
    }
    if (!shortestSession.isPositive() || shortestSession.compareTo(longestSession) > 0) {
      throw new InvalidRequestException(
          "sessions from "
              + shortestSession
              + " to "
              + longestSession
              + ": the shortest must be positive, and the longest not below it");
    }
    check("reclaim", reclaim);
    check("entries in flight", entriesInFlight);
    check("solo entries in flight", soloEntriesInFlight);
    check("entry commands", entryCommands);
    check("entry bytes", entryBytes.bytes());
    check("queued commands", queuedCommands);
    check("queued bytes", queuedBytes.bytes());
    if (entryCommands > 65_000) {
      throw new InvalidRequestException(
          "setting entry commands of " + entryCommands + ": must be at most 65000");
    }
  }

  /** Without a thread that looks for deadlines: whoever made the node calls its tick. */
  public NodeSettings withoutTicks() {
    return new NodeSettings(
        Duration.ZERO,
        shortestSession,
        longestSession,
        lease,
        history,
        historyRevisions,
        reclaim,
        entriesInFlight,
        soloEntriesInFlight,
        entryCommands,
        entryBytes,
        queuedCommands,
        queuedBytes,
        fingerprints,
        transactions,
        watch,
        limits);
  }

  public NodeSettings withHistory(Duration kept) {
    return withHistory(kept, historyRevisions);
  }

  public NodeSettings withHistory(Duration kept, long revisions) {
    return new NodeSettings(
        tick,
        shortestSession,
        longestSession,
        lease,
        kept,
        revisions,
        reclaim,
        entriesInFlight,
        soloEntriesInFlight,
        entryCommands,
        entryBytes,
        queuedCommands,
        queuedBytes,
        fingerprints,
        transactions,
        watch,
        limits);
  }

  public NodeSettings withQueue(int commands, int inFlight) {
    return new NodeSettings(
        tick,
        shortestSession,
        longestSession,
        lease,
        history,
        historyRevisions,
        reclaim,
        inFlight,
        inFlight,
        entryCommands,
        entryBytes,
        commands,
        queuedBytes,
        fingerprints,
        transactions,
        watch,
        limits);
  }

  public NodeSettings withFingerprints(Duration interval) {
    return new NodeSettings(
        tick,
        shortestSession,
        longestSession,
        lease,
        history,
        historyRevisions,
        reclaim,
        entriesInFlight,
        soloEntriesInFlight,
        entryCommands,
        entryBytes,
        queuedCommands,
        queuedBytes,
        interval,
        transactions,
        watch,
        limits);
  }

  public NodeSettings withLimits(NodeLimits value) {
    return new NodeSettings(
        tick,
        shortestSession,
        longestSession,
        lease,
        history,
        historyRevisions,
        reclaim,
        entriesInFlight,
        soloEntriesInFlight,
        entryCommands,
        entryBytes,
        queuedCommands,
        queuedBytes,
        fingerprints,
        transactions,
        watch,
        value);
  }

  private static void check(String name, Duration value) {
    if (value.isNegative()) {
      throw new InvalidRequestException(
          "setting " + name + " of " + value + ": must not be negative");
    }
  }

  private static void check(String name, long value) {
    if (value < 1) {
      throw new InvalidRequestException(
          "setting " + name + " of " + value + ": must be at least 1");
    }
  }
}
