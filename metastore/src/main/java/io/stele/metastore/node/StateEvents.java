package io.stele.metastore.node;

import io.stele.base.bytes.Bytes;
import io.stele.base.event.Events;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.Applied;
import io.stele.metastore.command.Applied.WaitEnded;
import io.stele.metastore.command.Command;
import io.stele.metastore.raft.Position;
import io.stele.metastore.state.KeyChange;
import io.stele.metastore.state.RevisionChanges;
import io.stele.metastore.state.StateListener;
import io.stele.metastore.txn.TransactionTable;
import io.stele.metastore.watch.WatchHub;
import java.util.ArrayList;
import java.util.List;

/** Hands what happens to the state on to those whom it concerns, on the thread that applies. */
final class StateEvents implements StateListener {
  private final LeaderDuties duties;
  private final FingerprintDuty fingerprints;
  private final Events events;
  private final TransactionTable transactions;
  private final WatchHub watches;
  private final LockWaits lockWaits;
  private final Runnable leadLost;

  StateEvents(
      LeaderDuties duties,
      FingerprintDuty fingerprints,
      Events events,
      TransactionTable transactions,
      WatchHub watches,
      LockWaits lockWaits,
      Runnable leadLost) {
    this.duties = duties;
    this.fingerprints = fingerprints;
    this.events = events;
    this.transactions = transactions;
    this.watches = watches;
    this.lockWaits = lockWaits;
    this.leadLost = leadLost;
  }

  @Override
  public void leads(long term) {
    duties.leads(term);
  }

  @Override
  public void follows() {
    duties.follows();
    leadLost.run();
  }

  @Override
  public void changed(RevisionChanges changes) {
    if (duties.isLeading()) {
      List<Bytes> keys = new ArrayList<>(changes.changes().size());
      for (KeyChange change : changes.changes()) {
        keys.add(change.now().key());
      }
      transactions.wrote(changes.revision(), keys);
    }
    watches.changed(StateHistory.of(changes));
  }

  /** An interactive transaction that read one of the keys is found out when it commits. */
  @Override
  public void swept(long revision) {
    watches.swept(revision);
  }

  @Override
  public void applied(Position position, List<Command> commands, Applied applied) {
    watches.publish();
    for (int i = 0; i < commands.size(); i++) {
      if (!(applied.answers().get(i) instanceof Answer.Refused)) {
        applied(commands.get(i), applied.answers().get(i));
      }
    }
    for (WaitEnded end : applied.grants()) {
      duties.locks().waitEnded(new LockWaits.Request(end.key(), end.session(), end.sequence()));
      lockWaits.ended(end);
    }
  }

  private void applied(Command command, Answer answer) {
    switch (command) {
      case Command.OpenSession open -> {
        if (answer instanceof Answer.SessionOpened opened) {
          duties.sessionOpened(opened.session(), opened.timeToLive());
        }
      }
      case Command.CloseSession close -> duties.sessionEnded(close.session(), false);
      case Command.ExpireSession expire -> duties.sessionEnded(expire.session(), true);
      case Command.Acquire acquire -> {
        if (answer instanceof Answer.Queued) {
          LockWaits.Request request =
              new LockWaits.Request(
                  acquire.key(), acquire.origin().session(), acquire.origin().sequence());
          duties.lockQueued(request, acquire.patience());
          lockWaits.queued(request);
        }
      }
      case Command.EndWait end ->
          duties.locks().waitEnded(new LockWaits.Request(end.key(), end.session(), end.sequence()));
      case Command.EndDelay end ->
          duties.locks().delayEnded(new LockDeadlines.Delay(end.key(), end.token()));
      case Command.SetAcl rules -> watches.rightsChanged();
      case Command.GrantLease grant -> duties.leaseGranted(grant.id(), grant.timeToLive());
      case Command.RevokeLease revoke -> duties.leaseEnded(revoke.id());
      case Command.ExpireLease expire -> duties.leaseEnded(expire.id());
      case Command.Transact transact -> {}
      case Command.EndGrant end -> {}
      case Command.Release release -> {}
      case Command.Compact compact -> {}
      case Command.Reclaim reclaim -> {}
      case Command.SetVersion set ->
          events.publish(new NodeEvent.VersionSet(set.agreed().version()));
      case Command.TakeFingerprint take -> fingerprints.take();
    }
  }

  @Override
  public void installed(long revision) {
    watches.replaced();
  }
}
