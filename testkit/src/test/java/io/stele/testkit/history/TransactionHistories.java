package io.stele.testkit.history;

import io.stele.base.time.RandomSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/**
 * A small store with optimistic transactions and the clients that use it, in one thread: each
 * transaction has a moment at which it reads and one at which it commits if what it read still
 * holds. Each {@link Flaw} is something that such a store can get wrong.
 */
final class TransactionHistories {

  enum Flaw {
    NONE,
    /** Commits without looking at what was read: lost updates. */
    NO_VALIDATION,
    /** Looks again only at those keys that it writes: write skew. */
    ONLY_WRITTEN_KEYS,
    /** Looks again only at the keys that a range had, not at its gaps: phantoms. */
    ONLY_KEYS_FOUND,
    /** Answers some readers from a state that is past. */
    STALE_READS,
    /** Acknowledges some writes and forgets them. */
    LOSES_WRITES,
    /** Applies some writes a second time. */
    APPLIES_TWICE,
    /** Gives some writes the revision of the write before. */
    REUSES_REVISIONS,
    /** Commits some transactions of unknown outcome in part. */
    TEARS_UNKNOWN
  }

  private enum Outcomes {
    ANSWERED,
    UNKNOWN_DONE,
    UNKNOWN_NEVER
  }

  private static final int KEYS = 8;

  private final RandomGenerator random;
  private final Flaw flaw;
  private final double unknown;
  private final NavigableMap<Long, List<Change>> revisions = new TreeMap<>();
  private final NavigableMap<Long, TreeMap<String, String>> states = new TreeMap<>();
  private final List<Operation<Transaction, Long>> history = new ArrayList<>();
  private TreeMap<String, String> state = new TreeMap<>();
  private long revision = 1;
  private int values;

  TransactionHistories(long seed, Flaw flaw, double unknown) {
    this.random = RandomSource.seeded(seed);
    this.flaw = flaw;
    this.unknown = unknown;
    states.put(revision, state);
  }

  private static final class Attempt {
    final String client;
    final long invoked;
    final long reads;
    final long commits;
    final long returned;
    final Outcomes outcome;
    List<Read> seen = List.of();
    long readRevision;

    Attempt(String client, long[] times, Outcomes outcome) {
      this.client = client;
      this.invoked = times[0];
      this.reads = times[1];
      this.commits = times[2];
      this.returned = times[3];
      this.outcome = outcome;
    }
  }

  private record Moment(long time, Attempt attempt, boolean commit) {}

  TransactionHistories generate(int clients, int attempts) {
    List<Moment> moments = new ArrayList<>();
    long[] free = new long[clients];
    for (int i = 0; i < attempts; i++) {
      int client = i % clients;
      long[] times = new long[4];
      times[0] = free[client] + 1 + random.nextInt(100);
      for (int t = 1; t < 4; t++) {
        times[t] = times[t - 1] + random.nextInt(100);
      }
      free[client] = times[3];
      Outcomes outcome =
          random.nextDouble() >= unknown
              ? Outcomes.ANSWERED
              : random.nextBoolean() ? Outcomes.UNKNOWN_DONE : Outcomes.UNKNOWN_NEVER;
      if (outcome == Outcomes.UNKNOWN_DONE && random.nextBoolean()) {
        times[2] += random.nextInt(1000); // long after the client has given up
        times[3] = Math.max(times[2], times[3]);
      }
      Attempt attempt = new Attempt("c" + client, times, outcome);
      moments.add(new Moment(attempt.reads, attempt, false));
      moments.add(new Moment(attempt.commits, attempt, true));
    }
    moments.sort(Comparator.comparingLong(Moment::time).thenComparing(Moment::commit));
    for (Moment moment : moments) {
      if (moment.commit) {
        commit(moment.attempt);
      } else {
        read(moment.attempt);
      }
    }
    return this;
  }

  List<Operation<Transaction, Long>> history() {
    return history;
  }

  RevisionHistory store() {
    return new RevisionHistory(revisions);
  }

  private String key() {
    return "/k" + random.nextInt(KEYS);
  }

  private void read(Attempt attempt) {
    boolean stale = flaw == Flaw.STALE_READS && random.nextInt(20) == 0;
    attempt.readRevision = stale ? Math.max(1, revision - 10) : revision;
    TreeMap<String, String> from =
        stale ? states.floorEntry(attempt.readRevision).getValue() : state;
    List<Read> reads = new ArrayList<>();
    for (int i = random.nextInt(3); i > 0; i--) {
      reads.add(new Read.OfKey(key(), Optional.empty()).again(from));
    }
    if (random.nextInt(3) == 0) {
      int limit = random.nextBoolean() ? Integer.MAX_VALUE : 1 + random.nextInt(3);
      reads.add(new Read.OfRange(KeyRange.of("/k2", "/k6"), limit, List.of()).again(from));
    }
    attempt.seen = reads;
  }

  private void commit(Attempt attempt) {
    if (!attempt.seen.isEmpty() && random.nextInt(3) == 0) {
      record(attempt, Transaction.of(attempt.seen, List.of()), attempt.readRevision);
      return;
    }
    Transaction transaction = Transaction.of(attempt.seen, writes());
    if (attempt.outcome == Outcomes.UNKNOWN_NEVER) {
      record(attempt, transaction, revision);
    } else if (valid(transaction)) {
      record(attempt, transaction, apply(attempt, transaction));
    }
  }

  private List<Change> writes() {
    List<Change> writes = new ArrayList<>();
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      writes.add(random.nextInt(3) == 0 ? Change.delete(key()) : Change.put(key(), "v" + ++values));
    }
    return writes;
  }

  private boolean valid(Transaction transaction) {
    Set<String> written = new HashSet<>(transaction.writes().keySet());
    for (Read read : transaction.reads()) {
      boolean same = read.again(state).equals(read);
      boolean accepted =
          switch (flaw) {
            case NO_VALIDATION -> true;
            case ONLY_WRITTEN_KEYS ->
                same || !(read instanceof Read.OfKey(String key, _) && written.contains(key));
            case ONLY_KEYS_FOUND ->
                read instanceof Read.OfRange(_, _, List<Change> seen)
                    ? seen.stream()
                        .allMatch(c -> Optional.ofNullable(state.get(c.key())).equals(c.value()))
                    : same;
            default -> same;
          };
      if (!accepted) {
        return false;
      }
    }
    return true;
  }

  private long apply(Attempt attempt, Transaction transaction) {
    Map<String, Change> effective =
        RevisionHistory.effective(RevisionHistory.changes(transaction), state);
    if (effective.isEmpty()) {
      return revision;
    }
    boolean now = random.nextInt(50) == 0;
    if (flaw == Flaw.TEARS_UNKNOWN
        && attempt.outcome == Outcomes.UNKNOWN_DONE
        && effective.size() > 1) {
      effective.remove(effective.keySet().iterator().next());
    }
    if (flaw == Flaw.REUSES_REVISIONS && now) {
      return revision;
    }
    revision++;
    if (flaw == Flaw.LOSES_WRITES && now) {
      return revision;
    }
    append(effective);
    long made = revision;
    boolean puts = effective.values().stream().allMatch(change -> change.value().isPresent());
    if (flaw == Flaw.APPLIES_TWICE && now && puts) {
      revision++;
      append(effective);
    }
    return made;
  }

  private void append(Map<String, Change> changes) {
    revisions.put(revision, List.copyOf(changes.values()));
    state = new TreeMap<>(state);
    RevisionHistory.apply(changes.values(), state);
    states.put(revision, state);
  }

  private void record(Attempt attempt, Transaction transaction, long at) {
    Outcome<Long> outcome =
        attempt.outcome == Outcomes.ANSWERED
            ? new Outcome.Returned<>(at, attempt.returned)
            : new Outcome.Unknown<>();
    history.add(new Operation<>(attempt.client, transaction, attempt.invoked, outcome));
  }
}
