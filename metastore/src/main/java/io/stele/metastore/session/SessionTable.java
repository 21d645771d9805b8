package io.stele.metastore.session;

import io.stele.base.bytes.Bytes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The sessions that live. Changed by the thread that applies commands; others may look at any time.
 */
public final class SessionTable {
  private final Map<Long, Session> sessions = new ConcurrentHashMap<>();

  // Only for the applying thread.
  private final Map<Bytes, Long> byRequest = new HashMap<>();
  private final Map<Long, Long> newest = new HashMap<>();
  private final Map<Long, Integer> ephemerals = new HashMap<>();

  public Optional<Session> get(long id) {
    return Optional.ofNullable(sessions.get(id));
  }

  public boolean lives(long id) {
    return sessions.containsKey(id);
  }

  public int size() {
    return sessions.size();
  }

  /** All of them, oldest first. */
  public List<Session> all() {
    List<Session> all = new ArrayList<>(sessions.values());
    all.sort(Comparator.comparingLong(Session::id));
    return all;
  }

  /** The session that a request has opened, if it lives. */
  public Optional<Session> openedBy(Bytes requestId) {
    Long id = requestId.isEmpty() ? null : byRequest.get(requestId);
    return id == null ? Optional.empty() : get(id);
  }

  public void add(Session session) {
    sessions.put(session.id(), session);
    if (!session.requestId().isEmpty()) {
      byRequest.put(session.requestId(), session.id());
    }
  }

  public void remove(Session session) {
    sessions.remove(session.id());
    byRequest.remove(session.requestId());
    newest.remove(session.id());
    ephemerals.remove(session.id());
  }

  /** The highest sequence whose answer is kept, if it has been looked up. */
  public Optional<Long> newestSequence(long session) {
    return Optional.ofNullable(newest.get(session));
  }

  public void setNewestSequence(long session, long sequence) {
    newest.merge(session, sequence, Math::max);
  }

  /** How many keys live and die with a session. */
  public int ephemeralKeys(long session) {
    return ephemerals.getOrDefault(session, 0);
  }

  public void addEphemeralKeys(long session, int more) {
    ephemerals.merge(session, more, Integer::sum);
  }
}
