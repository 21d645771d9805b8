package io.stele.metastore;

import io.stele.base.bytes.Bytes;
import io.stele.metastore.key.PathKey;

/**
 * What keeps a group from going on as usual. An alarm is a key, so that all members agree on it,
 * and that it stays until somebody deletes the key; its value is the id of the member that raised
 * it.
 */
public final class Alarms {
  /** The state is as large as it may be: nothing is put any more but below {@link #OWN}. */
  public static final Bytes NO_SPACE = PathKey.of("/stele/alarm/nospace");

  /** What the servers themselves need to put, whatever the alarm. */
  public static final Bytes OWN = Bytes.utf8("/stele/");

  private Alarms() {}
}
