package io.stele.testkit.table;

import io.stele.testkit.history.Anomaly;
import io.stele.testkit.history.Verdict;
import io.stele.testkit.history.Violation;
import io.stele.testkit.table.Bank.Branch;
import io.stele.testkit.table.Bank.Transfer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What the clients of a {@link Bank} know: which transfers they tried, and what became of them. A
 * branch that was read is held against it. Guarded by itself.
 */
final class BankLedger {
  private final Map<String, Account> branches = new HashMap<>();
  private final List<Violation> violations = new ArrayList<>();
  private long checked;

  /** Of one branch. */
  private static final class Account {
    private final Map<Long, Transfer> attempted = new HashMap<>();
    private final Map<Long, Long> versions = new HashMap<>();
    private final Set<Long> acknowledged = new HashSet<>();
    private final Set<Long> refused = new HashSet<>();
    private long version; // the greatest that was acknowledged
  }

  private Account of(String branch) {
    return branches.computeIfAbsent(branch, _ -> new Account());
  }

  synchronized void open(String branch) {
    var _ = of(branch);
  }

  synchronized void attempted(String branch, long version, Transfer transfer) {
    Account account = of(branch);
    account.attempted.put(transfer.number(), transfer);
    account.versions.put(transfer.number(), version);
  }

  synchronized void acknowledged(String branch, long number) {
    Account account = of(branch);
    account.acknowledged.add(number);
    account.version = Math.max(account.version, account.versions.getOrDefault(number, 0L));
  }

  synchronized void refused(String branch, long number) {
    of(branch).refused.add(number);
  }

  /** The version that a reader must find from now on, at least. */
  synchronized long version(String branch) {
    return of(branch).version;
  }

  synchronized Map<String, Long> versions() {
    Map<String, Long> versions = new HashMap<>();
    branches.forEach((branch, account) -> versions.put(branch, account.version));
    return versions;
  }

  synchronized int acknowledgedCount() {
    return branches.values().stream().mapToInt(account -> account.acknowledged.size()).sum();
  }

  synchronized Verdict verdict() {
    return new Verdict(checked, violations);
  }

  /** Looks at balances that were read when such a version had been acknowledged. */
  synchronized Optional<Branch> look(String how, Branch seen, long least) {
    checked++;
    if (seen.columns().isEmpty()) {
      violated(Anomaly.WRITE_LOST, "%s of branch %s: there is none".formatted(how, seen.name()));
    } else if (!seen.isWhole()) {
      violated(Anomaly.ROW_TORN, "%s of branch %s: %s".formatted(how, seen.name(), seen.columns()));
    } else if (seen.sum() != Bank.ACCOUNTS * Bank.OPENING) {
      violated(
          Anomaly.ROW_TORN,
          "%s of branch %s: %s, which is %d in all and not %d"
              .formatted(
                  how, seen.name(), seen.columns(), seen.sum(), Bank.ACCOUNTS * Bank.OPENING));
    } else if (seen.version() < least) {
      violated(
          Anomaly.WRITE_LOST,
          "%s of branch %s: version %d, after %d was acknowledged"
              .formatted(how, seen.name(), seen.version(), least));
    } else {
      return Optional.of(seen);
    }
    return Optional.empty();
  }

  /** Holds a branch with its journal against what was tried. */
  synchronized void audit(String how, Branch seen) {
    Account account = of(seen.name());
    long[] balances = new long[Bank.ACCOUNTS];
    Arrays.fill(balances, Bank.OPENING);
    Set<Long> numbers = new HashSet<>();
    for (long version = 1; version <= seen.version(); version++) {
      Transfer found = seen.journal().get(version);
      if (found == null) {
        violated(
            Anomaly.ROW_TORN,
            "%s of branch %s: version %d, and its journal lacks %d"
                .formatted(how, seen.name(), seen.version(), version));
        return;
      }
      auditTransfer(how, seen.name(), account, version, found, numbers);
      balances[found.from()] -= found.amount();
      balances[found.to()] += found.amount();
    }
    if (seen.journal().size() > seen.version()) {
      violated(
          Anomaly.ROW_TORN,
          "%s of branch %s: version %d, and %d transfers in its journal"
              .formatted(how, seen.name(), seen.version(), seen.journal().size()));
    }
    for (int i = 0; i < Bank.ACCOUNTS; i++) {
      if (balances[i] != seen.balance(i)) {
        violated(
            Anomaly.WRITE_DIFFERS,
            "%s of branch %s: account %d has %d, and by the journal %d"
                .formatted(how, seen.name(), i, seen.balance(i), balances[i]));
      }
    }
    auditAcknowledged(how, seen, account, numbers);
  }

  private void auditTransfer(
      String how, String branch, Account account, long version, Transfer found, Set<Long> numbers) {
    String where = "%s of branch %s: transfer %s at %d".formatted(how, branch, found, version);
    if (!found.equals(account.attempted.get(found.number()))) {
      violated(Anomaly.WRITE_UNEXPLAINED, "%s, which nobody tried".formatted(where));
    } else if (account.refused.contains(found.number())) {
      violated(Anomaly.WRITE_UNEXPLAINED, "%s, which was refused".formatted(where));
    } else if (!numbers.add(found.number())) {
      violated(Anomaly.WRITE_UNEXPLAINED, "%s, and once more before".formatted(where));
    }
  }

  /** What was acknowledged by now at a version that the branch has, is in its journal. */
  private void auditAcknowledged(String how, Branch seen, Account account, Set<Long> numbers) {
    for (long number : account.acknowledged) {
      long version = account.versions.getOrDefault(number, 0L);
      if (version <= seen.version() && !numbers.contains(number)) {
        violated(
            Anomaly.WRITE_LOST,
            "%s of branch %s: transfer %d was acknowledged at version %d, where %s is"
                .formatted(
                    how,
                    seen.name(),
                    number,
                    version,
                    Optional.ofNullable(seen.journal().get(version))));
      }
    }
  }

  private void violated(Anomaly anomaly, String what) {
    violations.add(new Violation(anomaly, what));
  }
}
