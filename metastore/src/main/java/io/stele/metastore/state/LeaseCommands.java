package io.stele.metastore.state;

import io.stele.base.predicate.ReadPredicate;
import io.stele.engine.Scan;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.Answer.Kind;
import io.stele.metastore.command.Answer.Refused;
import io.stele.metastore.command.Command.ExpireLease;
import io.stele.metastore.command.Command.GrantLease;
import io.stele.metastore.command.Command.RevokeLease;
import io.stele.metastore.key.KeyRange;
import io.stele.metastore.lease.Lease;
import io.stele.metastore.state.AccessRules.Right;
import java.time.Duration;
import java.util.Optional;

/** Leases begin and end. */
final class LeaseCommands {
  /** Of a lease, and of a session: a deadline so far off can still be counted in nanoseconds. */
  static final Duration LONGEST = Duration.ofHours(2_500_000);

  private final StateTables tables;

  LeaseCommands(StateTables tables) {
    this.tables = tables;
  }

  Answer grant(GrantLease command, Effects effects) {
    if (command.id() == 0 || !command.timeToLive().isPositive()) {
      return new Refused(
          Kind.INVALID,
          "lease "
              + command.id()
              + " with a time to live of "
              + command.timeToLive()
              + ": neither may be 0, nor the time negative");
    }
    if (command.timeToLive().compareTo(LONGEST) > 0) {
      return new Refused(
          Kind.INVALID,
          "lease " + command.id() + " of " + command.timeToLive() + ": at most " + LONGEST);
    }
    if (tables.leases.lives(command.id())) {
      return new Refused(Kind.LEASE_EXISTS, "lease " + command.id() + " lives already");
    }
    if (tables.noSpace()) {
      return TransactionChecks.noSpace();
    }
    Lease lease = new Lease(command.id(), command.timeToLive());
    effects.put(Rows.lease(lease.id()), lease.encode());
    effects.then(() -> tables.leases.add(lease));
    return new Answer.LeaseGranted(lease.id(), lease.timeToLive());
  }

  Answer revoke(RevokeLease command, Effects effects) {
    if (!tables.leases.lives(command.id())) {
      return absent(command.id());
    }
    try (Scan scan = tables.store.scan(ReadPredicate.rows(Rows.leased(command.id())))) {
      while (scan.next()) {
        KeyRange key = KeyRange.of(Rows.bytesBehind(scan.cell(), 1));
        Optional<String> denial = tables.rules().denial(command.principal(), key, Right.WRITE);
        if (denial.isPresent()) {
          return new Refused(Kind.DENIED, denial.get());
        }
      }
    }
    return end(command.id(), effects);
  }

  Answer expire(ExpireLease command, Effects effects) {
    return tables.leases.lives(command.id()) ? end(command.id(), effects) : absent(command.id());
  }

  private static Refused absent(long id) {
    return new Refused(Kind.LEASE_ABSENT, "lease " + id + " has ended, or never was");
  }

  /** Its keys go in one revision. */
  private Answer end(long id, Effects effects) {
    Optional<Refused> tooMuch = OwnedKeys.delete(tables, Rows.leased(id), "lease " + id, effects);
    if (tooMuch.isPresent()) {
      return tooMuch.get();
    }
    remove(tables, id, effects);
    return new Answer.Done();
  }

  /** The lease goes; its keys have gone. */
  static void remove(StateTables tables, long id, Effects effects) {
    effects.erase(Rows.lease(id));
    effects.then(() -> tables.leases.remove(id));
  }
}
