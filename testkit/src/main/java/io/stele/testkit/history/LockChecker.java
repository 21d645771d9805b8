package io.stele.testkit.history;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Says whether locks kept their promise: nobody holds a lock beside an exclusive holder; the token
 * of an exclusive grant is higher than all earlier ones of that lock and lower than all later ones,
 * and never given out again. Shared grants without an exclusive one in between may share a token.
 */
public final class LockChecker {

  public Verdict check(List<Hold> holds) {
    Map<String, List<Hold>> locks = new TreeMap<>();
    holds.forEach(hold -> locks.computeIfAbsent(hold.lock(), _ -> new ArrayList<>()).add(hold));
    List<Violation> violations = new ArrayList<>();
    locks.forEach(
        (lock, ofLock) -> {
          List<Hold> byTime =
              ofLock.stream()
                  .sorted(Comparator.comparingLong(Hold::from).thenComparingLong(Hold::until))
                  .toList();
          checkOverlaps(lock, byTime, violations);
          checkReuse(lock, byTime, violations);
          checkOrder(lock, byTime, violations);
        });
    return new Verdict(holds.size(), violations);
  }

  private static void checkOverlaps(String lock, List<Hold> byTime, List<Violation> violations) {
    Hold lastShared = null;
    Hold lastExclusive = null;
    for (Hold hold : byTime) {
      overlap(lock, lastExclusive, hold, violations);
      if (hold.exclusive()) {
        overlap(lock, lastShared, hold, violations);
        lastExclusive = longer(lastExclusive, hold);
      } else {
        lastShared = longer(lastShared, hold);
      }
    }
  }

  private static void overlap(
      String lock, @Nullable Hold earlier, Hold hold, List<Violation> violations) {
    if (earlier != null && hold.from() < earlier.until()) {
      violations.add(
          new Violation(
              Anomaly.LOCK_OVERLAP, lock + " was held by " + earlier + " and by " + hold));
    }
  }

  private static Hold longer(@Nullable Hold one, Hold other) {
    return one == null || other.until() > one.until() ? other : one;
  }

  private static void checkReuse(String lock, List<Hold> byTime, List<Violation> violations) {
    Map<Long, Hold> tokens = new HashMap<>();
    for (Hold hold : byTime) {
      Hold other = tokens.putIfAbsent(hold.token(), hold);
      if (other != null && (other.exclusive() || hold.exclusive())) {
        violations.add(
            new Violation(
                Anomaly.TOKEN_REUSED,
                lock + ": token " + hold.token() + " was given to " + other + " and to " + hold));
      }
    }
  }

  private static void checkOrder(String lock, List<Hold> byTime, List<Violation> violations) {
    Hold highest = null;
    Hold highestExclusive = null;
    for (Hold hold : byTime) {
      Hold earlier = hold.exclusive() ? highest : highestExclusive;
      if (earlier != null && hold.token() < earlier.token()) {
        violations.add(
            new Violation(
                Anomaly.TOKEN_ORDER,
                lock + ": " + hold + " has a lower token than the earlier " + earlier));
      }
      highest = higher(highest, hold);
      if (hold.exclusive()) {
        highestExclusive = higher(highestExclusive, hold);
      }
    }
  }

  private static Hold higher(@Nullable Hold one, Hold other) {
    return one == null || other.token() > one.token() ? other : one;
  }
}
