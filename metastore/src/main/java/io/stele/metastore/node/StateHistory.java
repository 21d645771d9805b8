package io.stele.metastore.node;

import io.stele.metastore.command.Answer;
import io.stele.metastore.command.RefusedException;
import io.stele.metastore.key.KeyRange;
import io.stele.metastore.state.KeyChange;
import io.stele.metastore.state.MetastoreState;
import io.stele.metastore.state.RevisionChanges;
import io.stele.metastore.watch.ChangeHistory;
import io.stele.metastore.watch.Changes;
import io.stele.metastore.watch.KeyEvent;
import java.util.ArrayList;
import java.util.List;

/** The state's history, for watchers that are behind. */
final class StateHistory implements ChangeHistory {
  private final MetastoreState state;

  StateHistory(MetastoreState state) {
    this.state = state;
  }

  @Override
  public long revision() {
    return state.revision();
  }

  @Override
  public long oldest() {
    return state.oldestChanges();
  }

  @Override
  public List<Changes> changes(KeyRange range, long from, int maxBytes, boolean previous) {
    try {
      return state.changes(range, from, maxBytes, previous).stream().map(StateHistory::of).toList();
    } catch (RefusedException e) {
      if (e.refused().kind() == Answer.Kind.COMPACTED) {
        return List.of(); // whoever asks looks at what is compacted afterwards
      }
      throw Refusals.of(e.refused());
    }
  }

  static Changes of(RevisionChanges revision) {
    List<KeyEvent> events = new ArrayList<>(revision.changes().size());
    for (KeyChange change : revision.changes()) {
      events.add(new KeyEvent(change.deleted(), change.now(), change.before()));
    }
    return new Changes(revision.revision(), events);
  }
}
