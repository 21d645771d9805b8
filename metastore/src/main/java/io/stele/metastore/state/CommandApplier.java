package io.stele.metastore.state;

import io.stele.base.bytes.ByteBuilder;
import io.stele.metastore.command.AclEntry;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.Answer.Kind;
import io.stele.metastore.command.Answer.Refused;
import io.stele.metastore.command.ClusterState;
import io.stele.metastore.command.Command;
import io.stele.metastore.command.Command.Acquire;
import io.stele.metastore.command.Command.CloseSession;
import io.stele.metastore.command.Command.Compact;
import io.stele.metastore.command.Command.EndDelay;
import io.stele.metastore.command.Command.EndGrant;
import io.stele.metastore.command.Command.EndWait;
import io.stele.metastore.command.Command.ExpireLease;
import io.stele.metastore.command.Command.ExpireSession;
import io.stele.metastore.command.Command.GrantLease;
import io.stele.metastore.command.Command.OpenSession;
import io.stele.metastore.command.Command.Reclaim;
import io.stele.metastore.command.Command.Release;
import io.stele.metastore.command.Command.RevokeLease;
import io.stele.metastore.command.Command.SetAcl;
import io.stele.metastore.command.Command.SetVersion;
import io.stele.metastore.command.Command.TakeFingerprint;
import io.stele.metastore.command.Command.Transact;
import io.stele.metastore.command.Origin;
import io.stele.metastore.key.PathKey;
import io.stele.metastore.state.AccessRules.Right;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** Decides what a command does and what it answers. What it does is left to the {@link Effects}. */
final class CommandApplier {
  private static final int MAX_ACL_ENTRIES = 1_000;

  private final StateTables tables;
  private final Requests requests;
  private final SessionCommands sessions;
  private final LeaseCommands leases;
  private final LockCommands locks;
  private final HistoryCommands history;

  CommandApplier(StateTables tables) {
    this.tables = tables;
    this.requests = new Requests(tables);
    this.sessions = new SessionCommands(tables, requests);
    this.leases = new LeaseCommands(tables);
    this.locks = new LockCommands(tables);
    this.history = new HistoryCommands(tables);
  }

  /**
   * Decides.
   *
   * @param term of the log entry that the command is in
   */
  Answer apply(Command command, long term, Effects effects) {
    return switch (command) {
      case OpenSession c -> sessions.open(c, effects);
      case CloseSession c -> sessions.close(c, effects);
      case ExpireSession c -> late(c.term(), term).orElseGet(() -> sessions.expire(c, effects));
      case Transact c -> transact(c, term, effects);
      case Acquire c -> once(c.origin(), effects, () -> locks.acquire(c, effects));
      case Release c -> once(c.origin(), effects, () -> locks.release(c, effects));
      case EndWait c -> locks.endWait(c, effects);
      case EndDelay c -> locks.endDelay(c, effects);
      case EndGrant c -> locks.endGrant(c, effects);
      case Compact c -> once(c.origin(), effects, () -> history.compact(c, effects));
      case Reclaim c -> history.reclaim(c, effects);
      case GrantLease c -> leases.grant(c, effects);
      case RevokeLease c -> leases.revoke(c, effects);
      case ExpireLease c -> late(c.term(), term).orElseGet(() -> leases.expire(c, effects));
      case SetAcl c -> once(c.origin(), effects, () -> setAcl(c, effects));
      case SetVersion c -> setVersion(c.agreed(), effects);
      case TakeFingerprint _ -> new Answer.Done(); // by those who listen, when the entry is done
    };
  }

  /** A version that falls would have members apply what others did not. */
  private Answer setVersion(ClusterState agreed, Effects effects) {
    if (agreed.version() < Math.max(tables.version(), 2)) {
      return new Refused(
          Kind.INVALID,
          "cluster version " + agreed.version() + ": it is " + tables.version() + " already");
    }
    ByteBuilder out = new ByteBuilder(64);
    agreed.write(out);
    effects.put(Rows.CLUSTER, out.toBytes());
    effects.then(() -> tables.setCluster(agreed));
    effects.then(() -> tables.raiseFloor(effects.txn()));
    return new Answer.Done();
  }

  /** Refuses what a leader decided in a term that has passed. */
  private static Optional<Answer> late(long decided, long term) {
    return decided == 0 || decided == term
        ? Optional.empty()
        : Optional.of(
            new Refused(
                Kind.ABORTED,
                "end by passing of time, decided in term " + decided + ": this is " + term));
  }

  private Answer once(Origin origin, Effects effects, Supplier<Answer> decision) {
    Optional<Answer> settled = requests.settled(origin);
    if (settled.isPresent()) {
      return settled.get();
    }
    Answer answer = decision.get();
    // A request in the queue of a lock is found there when it comes again.
    if (origin.session() != 0 && !(answer instanceof Answer.Queued)) {
      effects.keep(origin.session(), origin.sequence(), answer);
    }
    return answer;
  }

  private Answer transact(Transact command, long term, Effects effects) {
    Origin origin = command.origin();
    Optional<Answer> settled = requests.settled(origin);
    if (settled.isPresent()) {
      return settled.get();
    }
    TransactionChecks checks =
        new TransactionChecks(tables, origin.principal(), command.transaction());
    Optional<Refused> refused = checks.refusal(term);
    Answer answer =
        refused.isPresent()
            ? refused.get()
            : new TransactionRun(tables, effects, origin.session() != 0).run(command.transaction());
    // Reading twice does no harm, so reads leave no trace.
    if (origin.session() != 0 && checks.mayChange()) {
      effects.keep(origin.session(), origin.sequence(), answer);
    }
    effects.moveEphemerals();
    return answer;
  }

  private Answer setAcl(SetAcl command, Effects effects) {
    Optional<String> problem = PathKey.directoryProblem(command.directory());
    if (problem.isPresent()) {
      return new Refused(Kind.INVALID, problem.get());
    }
    if (command.entries().size() > MAX_ACL_ENTRIES) {
      return new Refused(
          Kind.INVALID,
          command.entries().size()
              + " rules for directory "
              + command.directory()
              + ": at most "
              + MAX_ACL_ENTRIES);
    }
    Set<String> principals = new HashSet<>();
    for (AclEntry entry : command.entries()) {
      if (entry.principal().length() > SessionCommands.MAX_TEXT) {
        return new Refused(
            Kind.INVALID,
            "rule of directory "
                + command.directory()
                + " for a principal of "
                + entry.principal().length()
                + " characters: at most "
                + SessionCommands.MAX_TEXT);
      }
      if (entry.principal().isEmpty() || !principals.add(entry.principal())) {
        return new Refused(
            Kind.INVALID,
            "rule for principal \""
                + entry.principal()
                + "\" of directory "
                + command.directory()
                + ": each must have a name, * for everybody else, and only one rule");
      }
    }
    Optional<String> denial =
        tables.rules().denial(command.origin().principal(), command.directory(), Right.WRITE);
    if (denial.isPresent()) {
      return new Refused(Kind.DENIED, denial.get());
    }
    if (command.entries().isEmpty()) {
      effects.erase(Rows.rules(command.directory()));
    } else {
      effects.put(Rows.rules(command.directory()), AccessRules.encode(command.entries()));
    }
    effects.then(
        () -> tables.setRules(tables.rules().with(command.directory(), command.entries())));
    return new Answer.Done();
  }
}
