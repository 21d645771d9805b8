package io.stele.gateway.bigtable.write;

import java.util.Optional;

/** What the cells of families are. Asked at every mutation: an answer must be at hand. */
public interface FamilyTypes {
  /** Families of plain cells only. */
  FamilyTypes PLAIN = (table, family) -> Optional.empty();

  /** How a family of a table adds up what is written to it; none if its cells are plain. */
  Optional<Aggregate> aggregateOf(String table, String family);
}
