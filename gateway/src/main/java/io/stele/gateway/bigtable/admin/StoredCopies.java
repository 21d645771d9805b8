package io.stele.gateway.bigtable.admin;

import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import io.stele.gateway.bigtable.note.NotedMessages;
import io.stele.gateway.bigtable.note.Notes;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Copies of tables under names of their own, as hidden tables of the same files: backups and
 * snapshots.
 *
 * <pre>
 *   noted, without an end ─► hidden table is a copy ─► noted as complete
 * </pre>
 *
 * <p>One without an end is none: whoever made it has failed, or has not finished yet.
 */
final class StoredCopies<M extends Message> {
  private final String kind;
  private final NotedTables tables;
  private final NotedMessages<M> notes;
  private final Function<M, Boolean> isComplete;
  private final Function<M, Long> endsAt;

  /**
   * Those of one kind.
   *
   * @param kind what they are called, and where their hidden tables are
   * @param isComplete tells it by the note
   * @param endsAt when it is to go, in microseconds
   */
  StoredCopies(
      String kind,
      NotedTables tables,
      Notes notes,
      Parser<M> parser,
      Function<M, Boolean> isComplete,
      Function<M, Long> endsAt) {
    this.kind = kind;
    this.tables = tables;
    this.notes = new NotedMessages<>(notes, kind + "/", parser);
    this.isComplete = isComplete;
    this.endsAt = endsAt;
  }

  String table(String name) {
    return "bigtable/" + kind + "/" + name;
  }

  /**
   * Makes one.
   *
   * @param begun what is noted of it at first
   * @param source the table that is copied
   * @param complete what is noted in the end
   */
  M make(String name, M begun, String source, Function<M, M> complete) {
    if (find(name).isPresent()) {
      throw Refusal.exists(kind + " \"" + name + "\"");
    }
    tables.drop(table(name)); // of one that failed
    notes.put(name, begun);
    tables.copy(source, table(name));
    M made = complete.apply(begun);
    notes.put(name, made);
    return made;
  }

  private boolean isThere(M note) {
    return isComplete.apply(note) && endsAt.apply(note) > tables.micros();
  }

  Optional<M> find(String name) {
    return notes.get(name).filter(this::isThere);
  }

  M get(String name) {
    return find(name).orElseThrow(() -> Refusal.notFound(kind + " \"" + name + "\""));
  }

  /** Those whose names begin so. */
  SortedMap<String, M> list(String beginning) {
    SortedMap<String, M> found = new TreeMap<>(notes.list(beginning));
    found.values().removeIf(note -> !isThere(note));
    return found;
  }

  void note(String name, M note) {
    notes.put(name, note);
  }

  void delete(String name) {
    M _ = get(name);
    forget(name);
  }

  private void forget(String name) {
    tables.drop(table(name));
    notes.remove(name);
  }

  /** Drops those whose time is over. */
  void forgetOld() {
    for (String name : notes.all().keySet()) {
      // Looked at again: one of the same name may have been made since.
      if (notes.get(name).filter(note -> endsAt.apply(note) <= tables.micros()).isPresent()) {
        forget(name);
      }
    }
  }
}
