package io.stele.datasets.serve;

import io.stele.base.event.Subscription;
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
  private final Map<String, Client> owners = new TreeMap<>(); // by key
  private final List<Client> clients = new ArrayList<>();
  private boolean prompt = true;
  private boolean down;

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
    owners.clear();
    deliverAll();
  }

  /** What clients do when they see that their keys are gone. */
  void heal() {
    clients.forEach(Client::republish);
    deliverAll();
  }

  /** Puts a key in that no node stands behind. */
  void inject(String key) {
    owners.put(key, new Client());
    deliverAll();
  }

  Set<String> keys() {
    return new TreeSet<>(owners.keySet());
  }

  /** The keys in a directory. */
  Set<String> children(String directory) {
    Set<String> names = new TreeSet<>();
    for (String key : owners.keySet()) {
      int slash = key.lastIndexOf('/');
      if (key.substring(0, slash).equals(directory)) {
        names.add(key.substring(slash + 1));
      }
    }
    return names;
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
    private final Set<String> own = new TreeSet<>();
    private final Map<String, Set<String>> seen = new HashMap<>();
    private final Map<String, List<Runnable>> watchers = new HashMap<>();
    private boolean frozen;

    @Override
    public Subscription publish(String key) {
      own.add(key);
      republish();
      deliverAll();
      return () -> {
        own.remove(key);
        if (!down && owners.get(key) == this) {
          owners.remove(key);
        }
        deliverAll();
      };
    }

    private void republish() {
      if (!down) {
        own.forEach(key -> owners.put(key, this));
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
        public Optional<Set<String>> names() {
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
        Set<String> now = children(directory);
        if (!now.equals(seen.put(directory, now))) {
          List.copyOf(watchers.getOrDefault(directory, List.of())).forEach(Runnable::run);
        }
      }
    }

    /** The session ends, as with its process. */
    void end() {
      owners.values().removeIf(owner -> owner == this);
      clients.remove(this);
      own.clear();
      deliverAll();
    }

    /** The session is lost and a new one begun. */
    void expire() {
      owners.values().removeIf(owner -> owner == this);
      deliverAll();
      republish();
      deliverAll();
    }
  }
}
