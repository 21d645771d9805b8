package io.stele.testkit.history;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Says whether transactions were strictly serializable in the order of their revisions, by playing
 * the store's own history again, revision by revision, beside what the clients were told:
 *
 * <ul>
 *   <li>a transaction with changes read what the store held just before its revision, one without
 *       what it held just after the revision named; ranges include what was <em>not</em> in them;
 *   <li>a revision belongs to one transaction, and has just that transaction's changes;
 *   <li>every acknowledged change is there, and none that nobody asked for: what is left over must
 *       be the doing of transactions of unknown outcome, each of them once, and these are then held
 *       to what they read like the others;
 *   <li>one that began after another was acknowledged comes after it.
 * </ul>
 *
 * <p>It finds the most when every put writes a value of its own. What the store does by itself,
 * such as deleting the keys of a session that ran out, is recorded as a transaction of unknown
 * outcome.
 */
public final class RevisionReplayChecker {

  public Verdict check(List<Operation<Transaction, Long>> history, RevisionHistory store) {
    return new Replay(history, store).run();
  }

  private static final class Replay {
    private final List<Operation<Transaction, Long>> history;
    private final RevisionHistory store;
    private final RealTimeFloor floor;
    private final SortedMap<String, String> state = new TreeMap<>();
    private final List<Violation> violations = new ArrayList<>();
    private final TreeMap<Long, List<Operation<Transaction, Long>>> answered = new TreeMap<>();
    private final UnansweredWrites unanswered;

    Replay(List<Operation<Transaction, Long>> history, RevisionHistory store) {
      this.history = history;
      this.store = store;
      this.floor = new RealTimeFloor(history);
      this.unanswered = new UnansweredWrites(history, floor);
      for (Operation<Transaction, Long> operation : history) {
        if (operation.outcome() instanceof Outcome.Returned<Long>(Long revision, _)) {
          answered.computeIfAbsent(revision, _ -> new ArrayList<>()).add(operation);
        }
      }
    }

    Verdict run() {
      TreeSet<Long> revisions = new TreeSet<>(store.revisions().keySet());
      revisions.addAll(answered.keySet());
      revisions.forEach(this::replay);
      return new Verdict(history.size(), violations);
    }

    private void replay(long revision) {
      List<Change> changes = store.revisions().getOrDefault(revision, List.of());
      Map<String, Change> effective = RevisionHistory.effective(changes, state);
      List<Operation<Transaction, Long>> claims =
          new ArrayList<>(answered.getOrDefault(revision, List.of()));
      Optional<Operation<Transaction, Long>> writer = putter(claims, revision);
      if (writer.isEmpty() && !effective.isEmpty()) {
        writer = deleter(claims, revision, effective);
      }
      if (writer.isPresent()) {
        claims.remove(writer.get());
        checkWriter(writer.get(), revision, effective);
      } else if (!effective.isEmpty()) {
        explain(revision, effective);
      }
      RevisionHistory.apply(changes, state);
      claims.forEach(reader -> checkReader(reader, revision));
    }

    /** The one that put something with this revision; there must be one at most. */
    private Optional<Operation<Transaction, Long>> putter(
        List<Operation<Transaction, Long>> claims, long revision) {
      List<Operation<Transaction, Long>> putters =
          claims.stream().filter(claim -> !claim.call().mayChangeNothing()).toList();
      for (Operation<Transaction, Long> second : putters.stream().skip(1).toList()) {
        claims.remove(second);
        add(
            Anomaly.REVISION_REUSED,
            "revision %d was given to %s and to %s"
                .formatted(revision, name(putters.getFirst()), name(second)));
      }
      return putters.stream().findFirst();
    }

    /**
     * The one that made the revision by deletes alone. Several may name it: when deletes find
     * nothing any more, their revision is that of the one who deleted. So it is first who can only
     * have been the deleter, then who may have been, then someone without an answer.
     */
    private Optional<Operation<Transaction, Long>> deleter(
        List<Operation<Transaction, Long>> claims, long revision, Map<String, Change> effective) {
      List<Operation<Transaction, Long>> same =
          claims.stream().filter(claim -> effective.equals(asked(claim.call()))).toList();
      List<Operation<Transaction, Long>> possible =
          same.stream()
              .filter(claim -> readsFit(claim, state))
              .filter(claim -> revision > floor.revisionBefore(claim.invoked()))
              .toList();
      if (possible.isEmpty()) {
        return unanswered.explains(revision, effective, state)
            ? Optional.empty()
            : same.stream().findFirst();
      }
      if (possible.size() == 1) {
        return Optional.of(possible.getFirst());
      }
      SortedMap<String, String> after = new TreeMap<>(state);
      RevisionHistory.apply(effective.values(), after);
      return possible.stream()
          .filter(claim -> !readsFit(claim, after))
          .findFirst()
          .or(() -> possible.stream().min(Comparator.comparingLong(Operation::invoked)));
    }

    private Map<String, Change> asked(Transaction transaction) {
      return RevisionHistory.effective(RevisionHistory.changes(transaction), state);
    }

    private static boolean readsFit(
        Operation<Transaction, Long> operation, SortedMap<String, String> state) {
      return operation.call().reads().stream().allMatch(read -> read.again(state).equals(read));
    }

    private void checkWriter(
        Operation<Transaction, Long> operation, long revision, Map<String, Change> effective) {
      Map<String, Change> asked = asked(operation.call());
      if (effective.isEmpty() && !asked.isEmpty()) {
        add(
            Anomaly.WRITE_LOST,
            "revision %d was acknowledged to %s, and the store has no changes there"
                .formatted(revision, name(operation)));
      } else if (!effective.equals(asked)) {
        add(
            Anomaly.WRITE_DIFFERS,
            "revision %d was acknowledged to %s, and the store has %s there"
                .formatted(revision, name(operation), effective.values()));
      }
      checkReads(operation, "just before its revision " + revision);
      checkOrder(operation, revision, true);
    }

    private void checkReader(Operation<Transaction, Long> operation, long revision) {
      checkReads(operation, "after revision " + revision);
      for (String key : operation.call().writes().keySet()) {
        if (state.containsKey(key)) {
          add(
              Anomaly.WRITE_LOST,
              "%s was acknowledged with revision %d, after which the store still has %s = %s"
                  .formatted(name(operation), revision, key, state.get(key)));
        }
      }
      if (!operation.call().mayBeStale()) {
        checkOrder(operation, revision, false);
      }
    }

    private void checkReads(Operation<Transaction, Long> operation, String when) {
      for (Read read : operation.call().reads()) {
        Read right = read.again(state);
        if (!right.equals(read)) {
          add(
              read instanceof Read.OfKey ? Anomaly.READ_DIFFERS : Anomaly.RANGE_DIFFERS,
              "%s read %s; %s the store had %s"
                  .formatted(
                      name(operation),
                      ReadDifference.seen(read, right),
                      when,
                      ReadDifference.held(read, right)));
        }
      }
    }

    private void checkOrder(Operation<Transaction, Long> operation, long revision, boolean writer) {
      floor
          .before(operation.invoked())
          .filter(
              earlier -> {
                long reached = RealTimeFloor.revision(earlier);
                return writer ? revision <= reached : revision < reached;
              })
          .ifPresent(
              earlier ->
                  add(
                      Anomaly.REAL_TIME_ORDER,
                      ("%s has revision %d, though it began %d ns after %s was acknowledged with"
                              + " revision %d")
                          .formatted(
                              name(operation),
                              revision,
                              operation.invoked() - earlier.returned(),
                              name(earlier),
                              RealTimeFloor.revision(earlier))));
    }

    /** Changes that no answer accounts for: someone without an answer must have made them. */
    private void explain(long revision, Map<String, Change> effective) {
      Optional<Operation<Transaction, Long>> writer = unanswered.take(revision, effective, state);
      if (writer.isPresent()) {
        checkReads(writer.get(), "just before revision " + revision + ", at which it committed,");
      } else {
        add(
            Anomaly.WRITE_UNEXPLAINED,
            "revision %d has %s; %s".formatted(revision, effective.values(), askedFor(effective)));
      }
    }

    private String askedFor(Map<String, Change> effective) {
      Map<String, String> found = new LinkedHashMap<>();
      for (Operation<Transaction, Long> operation : history) {
        for (Change change : RevisionHistory.changes(operation.call())) {
          if (change.value().isPresent() && change.equals(effective.get(change.key()))) {
            found.putIfAbsent(change.toString(), name(operation));
          }
        }
      }
      return found.isEmpty()
          ? "nobody asked for that"
          : "those who asked for it have another revision, or began later: " + found.values();
    }

    private void add(Anomaly anomaly, String message) {
      violations.add(new Violation(anomaly, message));
    }

    private static String name(Operation<Transaction, Long> operation) {
      return operation.client() + " (" + operation.call() + " -> " + operation.outcome() + ")";
    }
  }
}
