package io.stele.metastore.state;

import java.util.List;

/** All that a revision did, by key. */
public record RevisionChanges(long revision, List<KeyChange> changes) {
  public RevisionChanges {
    changes = List.copyOf(changes);
  }
}
