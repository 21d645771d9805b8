package io.stele.metastore.state;

import io.stele.base.bytes.Bytes;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.Answer.Kind;
import io.stele.metastore.command.Answer.Refused;
import io.stele.metastore.command.Command.ExpireLease;
import io.stele.metastore.command.Command.GrantLease;
import io.stele.metastore.command.Command.RevokeLease;
import io.stele.metastore.command.KeyValue;
import io.stele.metastore.key.KeyRange;
import io.stele.metastore.lease.Lease;
import io.stele.metastore.state.AccessRules.Right;
import java.util.List;
import java.util.Optional;

/** Leases begin and end. */
final class LeaseCommands {
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
    if (tables.leases.lives(command.id())) {
      return new Refused(Kind.LEASE_EXISTS, "lease " + command.id() + " lives already");
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
    for (Bytes key : tables.leasedKeys(command.id())) {
      Optional<String> denial =
          tables.rules().denial(command.principal(), KeyRange.of(key), Right.WRITE);
      if (denial.isPresent()) {
        return new Refused(Kind.DENIED, denial.get());
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
    List<Bytes> keys = tables.leasedKeys(id);
    for (Bytes key : keys) {
      KeyValue before = tables.current(key).orElseThrow();
      effects.change(StoredVersion.deletion(key, effects.revision()), Optional.of(before));
    }
    if (!keys.isEmpty()) {
      effects.endRevision();
    }
    for (Bytes key : keys) {
      effects.erase(Rows.leased(id, key));
    }
    effects.erase(Rows.lease(id));
    effects.then(() -> tables.leases.remove(id));
    return new Answer.Done();
  }
}
