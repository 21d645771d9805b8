package io.stele.datasets.serve;

import io.stele.base.dataset.Lookup;
import io.stele.base.dataset.Origin;

/** What became of a lookup for a gateway that can hand on a value in pieces. */
public sealed interface OpenedLookup {
  /** The value is small, or there is none. */
  record Whole(Lookup lookup) implements OpenedLookup {}

  /** The value is large; the gateway must close it. */
  record Large(LargeValue value, Origin origin) implements OpenedLookup {}
}
