package io.stele.metastore.state;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellView;
import io.stele.engine.Scan;
import io.stele.metastore.DirectoryEntry;
import io.stele.metastore.key.KeyRange;
import io.stele.metastore.key.PathKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The names in a directory, found by jumping over what is below them: a listing costs by its
 * entries, not by the keys below.
 *
 * <p>Names ascend, which is not the order of the keys: {@code /a/b-c} stands between {@code /a/b}
 * and {@code /a/b/x}, as {@code -} is lower than {@code /}. So a directory without a key of its own
 * is met only behind such names, and has to be looked for when the first of them is met: it can be
 * called only like a beginning of it that is cut before a byte lower than {@code /}.
 */
final class DirectoryListing implements AutoCloseable {
  private static final byte SLASH = '/';
  private static final Bytes BEHIND_SLASH = Bytes.of((byte) (SLASH + 1));

  private final Bytes prefix;
  private final Scan scan;

  DirectoryListing(StateTables tables, Bytes directory, long revision) {
    this.prefix = PathKey.prefixOf(directory);
    this.scan = tables.scanKeys(KeyRange.prefix(prefix), revision);
  }

  /**
   * Lists.
   *
   * @param after the last name not wanted any more; empty for none
   */
  List<DirectoryEntry> list(Bytes after, int limit) {
    List<DirectoryEntry> entries = new ArrayList<>();
    Bytes last = after;
    while (entries.size() < limit) {
      Bytes key = nextName(last);
      if (key == null) {
        break;
      }
      Bytes name = nameIn(key);
      Bytes hidden = hiddenBefore(name, last);
      if (hidden != null) {
        entries.add(new DirectoryEntry(hidden.toUtf8(), false, true));
        last = hidden;
        continue;
      }
      boolean value = key.length() == prefix.length() + name.length();
      entries.add(new DirectoryEntry(name.toUtf8(), value, !value || hasKeysBelow(name)));
      last = name;
    }
    return entries;
  }

  /** The first key whose name in the directory is behind one. */
  private @Nullable Bytes nextName(Bytes last) {
    Bytes key = firstFrom(last.isEmpty() ? prefix : prefix.concat(last).successor());
    while (key != null && nameIn(key).compareTo(last) <= 0) {
      key = firstFrom(prefix.concat(nameIn(key)).concat(BEHIND_SLASH));
    }
    return key;
  }

  /** A directory behind {@code last} and before {@code name} whose keys are behind {@code name}. */
  private @Nullable Bytes hiddenBefore(Bytes name, Bytes last) {
    byte[] array = name.sharedArray();
    for (int length = 1; length < array.length; length++) {
      if (array[length] >= 0 && array[length] < SLASH) {
        Bytes shorter = Bytes.copyOf(array, 0, length);
        if (shorter.compareTo(last) > 0 && hasKeysBelow(shorter)) {
          return shorter;
        }
      }
    }
    return null;
  }

  private boolean hasKeysBelow(Bytes name) {
    Bytes below = prefix.concat(name).concat(PathKey.ROOT);
    Bytes key = firstFrom(below);
    return key != null && key.startsWith(below);
  }

  private @Nullable Bytes firstFrom(Bytes key) {
    boolean found = scan.seek(CellView.beforeRow(Rows.keys(KeyRange.of(key)).from()));
    while (found && StoredVersion.isDeletion(scan.cell())) {
      found = scan.next();
    }
    return found ? Rows.userKey(scan.cell()) : null;
  }

  private Bytes nameIn(Bytes key) {
    byte[] array = key.sharedArray();
    int end = prefix.length();
    while (end < array.length && array[end] != SLASH) {
      end++;
    }
    return Bytes.wrap(Arrays.copyOfRange(array, prefix.length(), end));
  }

  @Override
  public void close() {
    scan.close();
  }
}
