package io.stele.datasets.serve;

import io.stele.datasets.shard.ShardFiles;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.random.RandomGenerator;

/**
 * The shared map of a cluster in one JVM: it knows the two operations and no others. Each client
 * has a copy, which is brought up to date at once, or when a test says so, or never.
 */
final class FakeMap {
  private final Map<String, Entry> entries = new TreeMap<>(); // by key
  private final List<Client> clients = new ArrayList<>();
  private boolean prompt = true;
  private boolean down;

  private record Entry(Client owner, String value) {}

  Client client() {
    Client client = new Client();
    clients.add(client);
    return client;
  }

  /** Whether changes are seen at once. */
  void prompt(boolean now) {
    prompt = now;
    deliverAll();
  }

  /** Ends or resumes the service; what clients have seen they keep. */
  void down(boolean now) {
    down = now;
    if (!down) {
      clients.forEach(Client::republish);
      deliverAll();
    }
  }

  /** Deletes everything, as an operator might; clients publish again what is theirs. */
  void wipe() {
    entries.clear();
    deliverAll();
  }

  /** What clients do when they see that their keys are gone. */
  void heal() {
    clients.forEach(Client::republish);
    deliverAll();
  }

  /** Puts a key in that no node stands behind. */
  void inject(String key) {
    entries.put(key, new Entry(new Client(), ""));
    deliverAll();
  }

  Set<String> keys() {
    return new TreeSet<>(entries.keySet());
  }

  /** The entries of a directory. */
  Map<String, String> children(String directory) {
    Map<String, String> children = new TreeMap<>();
    entries.forEach(
        (key, entry) -> {
          int slash = key.lastIndexOf('/');
          if (key.substring(0, slash).equals(directory)) {
            children.put(key.substring(slash + 1), entry.value);
          }
        });
    return children;
  }

  /** Who has which shards of a version, as {@code 00003@host:port}. */
  Set<String> holders(String dataset, String version) {
    Set<String> holders = new TreeSet<>();
    children("partitions/" + dataset + "/" + version)
        .forEach(
            (name, value) ->
                ShardBlock.parse(name, value).stream()
                    .forEach(
                        shard ->
                            holders.add(ShardFiles.name(shard) + "@" + ShardBlock.address(name))));
    return holders;
  }

  private void deliverAll() {
    if (prompt && !down) {
      List.copyOf(clients).forEach(Client::deliver);
    }
  }

  /** Brings one client up to date, whichever. */
  void deliverOne(RandomGenerator random) {
    if (!down && !clients.isEmpty()) {
      clients.get(random.nextInt(clients.size())).deliver();
    }
  }

  /** One node's session. */
  final class Client implements SharedMap {
    private final Map<String, String> own = new TreeMap<>();
    private final Map<String, Map<String, String>> seen = new HashMap<>();
    private final Map<String, List<Runnable>> watchers = new HashMap<>();
    private boolean frozen;

    @Override
    public Published publish(String key, String value) {
      put(key, value);
      return new Published() {
        @Override
        public void set(String next) {
          put(key, next);
        }

        @Override
        public void close() {
          own.remove(key);
          if (!down) {
            entries.computeIfPresent(key, (_, entry) -> entry.owner == Client.this ? null : entry);
          }
          deliverAll();
        }
      };
    }

    private void put(String key, String value) {
      own.put(key, value);
      republish();
      deliverAll();
    }

    private void republish() {
      if (!down) {
        own.forEach((key, value) -> entries.put(key, new Entry(this, value)));
      }
    }

    @Override
    public Children watch(String directory, Runnable changed) {
      watchers.computeIfAbsent(directory, _ -> new ArrayList<>()).add(changed);
      if (prompt && !down) {
        deliver();
      }
      return new Children() {
        @Override
        public Optional<Map<String, String>> entries() {
          return Optional.ofNullable(seen.get(directory));
        }

        @Override
        public void close() {
          List<Runnable> callbacks = watchers.get(directory);
          if (callbacks != null) {
            callbacks.remove(changed);
          }
        }
      };
    }

    /** Whether this client hears of nothing any more. */
    void freeze(boolean now) {
      frozen = now;
      deliver();
    }

    private void deliver() {
      if (frozen || down) {
        return;
      }
      for (String directory : List.copyOf(watchers.keySet())) {
        Map<String, String> now = children(directory);
        if (!now.equals(seen.put(directory, now))) {
          List.copyOf(watchers.getOrDefault(directory, List.of())).forEach(Runnable::run);
        }
      }
    }

    /** The session ends, as with its process. */
    void end() {
      entries.values().removeIf(entry -> entry.owner == this);
      clients.remove(this);
      own.clear();
      deliverAll();
    }

    /** The session is lost and a new one begun. */
    void expire() {
      entries.values().removeIf(entry -> entry.owner == this);
      deliverAll();
      republish();
      deliverAll();
    }
  }
}
