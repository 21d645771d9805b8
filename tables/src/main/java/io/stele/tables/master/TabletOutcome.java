package io.stele.tables.master;

import io.stele.base.error.SteleException;
import io.stele.tables.meta.TabletKey;
import java.util.Optional;

/** What became of an order about one tablet; no problem if it was done. */
public record TabletOutcome(TabletKey tablet, Optional<SteleException> problem) {
  public static TabletOutcome done(TabletKey tablet) {
    return new TabletOutcome(tablet, Optional.empty());
  }

  public static TabletOutcome failed(TabletKey tablet, SteleException problem) {
    return new TabletOutcome(tablet, Optional.of(problem));
  }
}
