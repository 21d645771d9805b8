package io.stele.metastore.state;

import io.stele.metastore.LockState;
import io.stele.metastore.command.Command.Acquire;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A lock, said plainly. */
final class ModelLock {
  static final class Hold {
    final long token;
    final long delay;
    int count = 1;

    Hold(long token, long delay) {
      this.token = token;
      this.delay = delay;
    }
  }

  boolean exclusive;
  final Map<Long, Hold> holders = new LinkedHashMap<>();
  final List<Acquire> queue = new ArrayList<>();
  long delayToken;
  long delaySeconds;

  boolean free(Acquire request) {
    if (holders.containsKey(request.origin().session()) && (exclusive || !request.exclusive())) {
      return true;
    }
    if (delayToken != 0) {
      return false;
    }
    return holders.isEmpty() || (!exclusive && !request.exclusive());
  }

  long take(Acquire request, long token) {
    Hold hold = holders.get(request.origin().session());
    if (hold != null) {
      hold.count++;
      return hold.token;
    }
    exclusive = request.exclusive();
    holders.put(request.origin().session(), new Hold(token, request.delay().toSeconds()));
    return token;
  }

  LockState state() {
    List<LockState.Holder> held = new ArrayList<>();
    holders.forEach(
        (session, hold) -> held.add(new LockState.Holder(session, hold.token, hold.count)));
    return new LockState(
        exclusive && !holders.isEmpty(),
        held,
        queue.stream().map(request -> request.origin().session()).toList(),
        delayToken != 0);
  }
}
