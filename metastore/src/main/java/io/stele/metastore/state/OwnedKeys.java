package io.stele.metastore.state;

import io.stele.base.bytes.Bytes;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.engine.Scan;
import io.stele.metastore.command.Answer.Kind;
import io.stele.metastore.command.Answer.Refused;
import io.stele.metastore.command.ClusterVersion;
import io.stele.metastore.command.KeyValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The keys that end with a session or a lease. */
final class OwnedKeys {
  /** Of the keys and values that one batch deletes: watchers get both, so they are in memory. */
  static final long MOST_BYTES = 16L << 20;

  /** In {@link ClusterVersion} 1, which had no bound: of the keys that one batch can list. */
  static final long FIRST_MOST_BYTES = 60L << 20;

  private OwnedKeys() {}

  /**
   * Deletes the keys in one revision; if they are too many for one batch, a {@link Sweep} has to.
   *
   * @param rows one per key, which the key stands behind
   * @param owner for the message
   */
  static Optional<Refused> delete(
      StateTables tables, RowRange rows, String owner, Effects effects) {
    List<KeyValue> keys = new ArrayList<>();
    List<Bytes> marks = new ArrayList<>();
    long bytes = 0;
    long keyBytes = 0;
    try (Scan scan = tables.store.scan(ReadPredicate.rows(rows))) {
      while (scan.next()) {
        KeyValue kv = tables.current(Rows.bytesBehind(scan.cell(), 1)).orElseThrow();
        bytes += 4L * kv.key().length() + kv.value().length();
        keyBytes += 8L + kv.key().length();
        boolean tooMany = keys.size() == tables.limits().changedKeys() || bytes > MOST_BYTES;
        if (tables.version() < 2 ? keyBytes > FIRST_MOST_BYTES : tooMany) {
          return Optional.of(tooMuch(owner));
        }
        keys.add(kv);
        marks.add(scan.cell().row());
      }
    }
    for (KeyValue kv : keys) {
      effects.change(StoredVersion.deletion(kv.key(), effects.revision()), Optional.of(kv));
    }
    if (!keys.isEmpty()) {
      effects.endRevision();
    }
    marks.forEach(effects::erase);
    return Optional.empty();
  }

  static Refused tooMuch(String owner) {
    return new Refused(
        Kind.EXHAUSTED, owner + " has too much to delete in one step, in the midst of a log entry");
  }
}
