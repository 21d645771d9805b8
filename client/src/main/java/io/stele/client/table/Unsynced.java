package io.stele.client.table;

import io.stele.client.call.Endpoint;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a client has committed and not seen to be durable. Only the server that committed it can
 * make it so: after a crash, the next one counts transactions anew from those that were left, and
 * would call durable what is lost.
 */
final class Unsynced {
  /** The newest transaction of a server's incarnation that is not known to be durable. */
  record Mark(Endpoint server, long incarnation, long newest) {}

  private final Map<Endpoint, Mark> marks = new LinkedHashMap<>(); // guarded by this

  synchronized void add(Endpoint server, long incarnation, long txn) {
    Mark mark = marks.get(server);
    if (mark == null || (mark.incarnation == incarnation && mark.newest < txn)) {
      marks.put(server, new Mark(server, incarnation, txn));
    }
    // Else something was lost with the incarnation before; that is told first.
  }

  /** The servers that must be asked to sync; none if any will do. */
  synchronized List<Mark> marks() {
    return List.copyOf(marks.values());
  }

  synchronized void durable(Endpoint server, long incarnation, long txn) {
    Mark mark = marks.get(server);
    if (mark != null && mark.incarnation == incarnation && txn >= mark.newest) {
      marks.remove(server);
    }
  }

  synchronized void lost(Mark lost) {
    Mark mark = marks.get(lost.server);
    if (mark != null && mark.incarnation == lost.incarnation) {
      marks.remove(lost.server);
    }
  }
}
