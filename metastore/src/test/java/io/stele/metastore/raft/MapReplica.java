package io.stele.metastore.raft;

import io.stele.base.bytes.Bytes;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A map with entries such as {@code key=value}; applying one answers its position. What it has
 * flushed is on a {@link Disk}, which outlives it.
 */
final class MapReplica implements Replica<Position> {
  /** What survives a restart. */
  static final class Disk {
    private Map<String, String> map = Map.of();
    private Position position = Position.START;

    synchronized Disk copy() {
      Disk copy = new Disk();
      copy.map = map;
      copy.position = position;
      return copy;
    }
  }

  /** An entry that makes the replica throw. */
  static final String POISON = "poison=1";

  private final Disk disk;
  private final Map<String, String> map;
  private final List<String> log = new ArrayList<>();
  private final List<Position> skipped = new ArrayList<>();
  private final List<Long> ledTerms = new ArrayList<>();
  private Position applied;
  private boolean leads;
  private int installs;
  private int restores;
  volatile int version = 1;

  /** What a flush does before it reads what was applied. */
  volatile Runnable beforeFlush = () -> {};

  MapReplica(Disk disk) {
    this.disk = disk;
    synchronized (disk) {
      this.map = new TreeMap<>(disk.map);
      this.applied = disk.position;
    }
  }

  @Override
  public int version() {
    return version;
  }

  @Override
  public Position flushed() {
    synchronized (disk) {
      return disk.position;
    }
  }

  @Override
  public synchronized Position apply(Position position, Bytes entry) {
    if (position.index() <= applied.index()) {
      if (position.index() <= flushed().index()) {
        return position;
      }
      throw new IllegalStateException("entry " + position + " again, behind " + applied);
    }
    follow(position);
    String text = entry.toUtf8();
    if (text.equals(POISON)) {
      throw new IllegalStateException("poisoned");
    }
    log.add(position + " " + text);
    int equals = text.indexOf('=');
    map.put(text.substring(0, equals), text.substring(equals + 1));
    return position;
  }

  @Override
  public synchronized void skip(Position position) {
    if (position.index() > applied.index()) {
      follow(position);
      skipped.add(position);
    }
  }

  private void follow(Position position) {
    if (position.index() != applied.index() + 1 || position.term() < applied.term()) {
      throw new IllegalStateException("entry " + position + " behind " + applied);
    }
    applied = position;
  }

  @Override
  public synchronized void leads(long term) {
    if (applied.term() != term) {
      throw new IllegalStateException("leads in term " + term + ", at " + applied);
    }
    leads = true;
    ledTerms.add(term);
  }

  @Override
  public synchronized void follows() {
    leads = false;
  }

  @Override
  public Position flush() {
    beforeFlush.run();
    return flushNow();
  }

  private synchronized Position flushNow() {
    synchronized (disk) {
      disk.map = Map.copyOf(map);
      disk.position = applied;
    }
    return applied;
  }

  @Override
  public synchronized Position writeCheckpoint(OutputStream out) {
    StringBuilder text = new StringBuilder();
    text.append(applied.term()).append('\n').append(applied.index()).append('\n');
    map.forEach((key, value) -> text.append(key).append('=').append(value).append('\n'));
    try {
      out.write(text.toString().getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return applied;
  }

  @Override
  public synchronized Position installCheckpoint(InputStream in) throws IOException {
    BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
    Position position =
        new Position(Long.parseLong(lines.readLine()), Long.parseLong(lines.readLine()));
    map.clear();
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      map.put(line.substring(0, line.indexOf('=')), line.substring(line.indexOf('=') + 1));
    }
    applied = position;
    installs++;
    return flush();
  }

  @Override
  public synchronized Position restore(InputStream in) throws IOException {
    restores++;
    return installCheckpoint(in);
  }

  synchronized int restores() {
    return restores;
  }

  synchronized Map<String, String> map() {
    return new TreeMap<>(map);
  }

  synchronized String get(String key) {
    return map.getOrDefault(key, "");
  }

  /** What was applied since it was made, in order. */
  synchronized List<String> log() {
    return List.copyOf(log);
  }

  /** The entries without content, in order. */
  synchronized List<Position> skipped() {
    return List.copyOf(skipped);
  }

  synchronized List<Long> ledTerms() {
    return List.copyOf(ledTerms);
  }

  synchronized boolean leads() {
    return leads;
  }

  synchronized Position applied() {
    return applied;
  }

  synchronized int installs() {
    return installs;
  }
}
