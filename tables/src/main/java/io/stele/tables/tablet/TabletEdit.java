package io.stele.tables.tablet;

import java.util.Optional;

/**
 * A change of a table's view, as data: whoever prepares one opens files and does the arithmetic,
 * and {@link Table#commit} puts it in place. There is no other way to change a view.
 *
 * <p>An edit is pure. It takes no lock, reads no file, asks no clock and changes nothing but what
 * it returns, so the same edits applied to the same view make the same view again.
 */
public sealed interface TabletEdit permits ChainEdit, TabletsEdit, SchemaEdit {
  /**
   * The next view, or nothing if what the edit was made for is no longer so: then it has no effect,
   * and the caller decides again from what is there now. Which files have one use more or less
   * follows from the two views.
   */
  Optional<TableView> apply(TableView view);

  /** Notifies listeners after it was put in place; no lock is held. */
  default void tell(TabletEvents events, TableView before, TableView after) {}
}
