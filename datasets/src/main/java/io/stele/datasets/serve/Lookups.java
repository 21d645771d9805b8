package io.stele.datasets.serve;

import io.stele.base.bytes.Bytes;
import io.stele.base.dataset.Lookup;
import io.stele.base.dataset.Origin;
import io.stele.base.error.CorruptDataException;
import io.stele.base.error.NotFoundException;
import io.stele.base.time.Clock;
import io.stele.datasets.shard.RetiredShardException;
import io.stele.datasets.shard.Shard;
import io.stele.datasets.shard.ShardHash;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Looks keys up: in the shards that are here, else at the peers that the map names. A lookup sticks
 * to one version from its start to its end. Any number of threads.
 */
final class Lookups {
  private final PeerLookup peers;
  private final Clock clock;

  Lookups(PeerLookup peers, Clock clock) {
    this.peers = peers;
    this.clock = clock;
  }

  /**
   * Looks keys up for a client.
   *
   * @param serving the version that clients get at the moment of the call
   */
  List<Lookup> get(String dataset, List<Bytes> keys, Supplier<@Nullable ServedVersion> serving) {
    while (true) {
      ServedVersion version = serving.get();
      if (version == null) {
        throw new NotFoundException("dataset " + dataset + ": no version of it is served here");
      }
      version.touch(clock.nanos());
      List<Lookup> lookups =
          keys.size() == 1 ? List.of(get(version, keys.getFirst())) : get(version, keys);
      boolean failed = lookups.stream().anyMatch(lookup -> lookup instanceof Lookup.Failed);
      if (!failed || serving.get() == version) {
        return lookups;
      }
      // The version may have been let go under the lookup; the next one has what is asked for.
    }
  }

  /** Looks a key up in what is here; null if that takes others, or more than one look. */
  @Nullable Lookup getHere(ServedVersion version, Bytes key) {
    byte[] bytes = key.sharedArray();
    Shard local = version.held(ShardHash.shard(bytes, version.shards()));
    if (local == null) {
      return null;
    }
    version.touch(clock.nanos());
    try {
      return lookup(version, local.get(bytes));
    } catch (RetiredShardException | CorruptDataException e) {
      return null;
    }
  }

  private Lookup get(ServedVersion version, Bytes key) {
    byte[] bytes = key.sharedArray();
    int shard = ShardHash.shard(bytes, version.shards());
    Shard local = version.held(shard);
    if (local != null) {
      try {
        return lookup(version, local.get(bytes));
      } catch (CorruptDataException e) {
        version.damaged(local, e);
        return instead(version, shard, key, e);
      } catch (RetiredShardException e) {
        // Others may have it still.
      }
    }
    return remote(version, shard, List.of(key)).getFirst();
  }

  /** Others may have a shard that cannot be read here. */
  private Lookup instead(ServedVersion version, int shard, Bytes key, CorruptDataException e) {
    Lookup lookup = remote(version, shard, List.of(key)).getFirst();
    return lookup instanceof Lookup.Failed failed
        ? new Lookup.Failed(
            failed.version(),
            Lookup.Failure.LOCAL,
            "shard %d of version %s of %s cannot be read: %s; others: %s"
                .formatted(
                    shard, version.version(), version.dataset(), e.getMessage(), failed.reason()))
        : lookup;
  }

  private List<Lookup> get(ServedVersion version, List<Bytes> keys) {
    @Nullable Lookup[] lookups = new Lookup[keys.size()];
    Map<Integer, List<Integer>> elsewhere = new TreeMap<>(); // positions of keys, by shard
    for (int i = 0; i < lookups.length; i++) {
      int shard = ShardHash.shard(keys.get(i).sharedArray(), version.shards());
      if (version.held(shard) == null) {
        elsewhere.computeIfAbsent(shard, _ -> new ArrayList<>()).add(i);
      } else {
        lookups[i] = get(version, keys.get(i));
      }
    }
    if (!elsewhere.isEmpty()) {
      remote(version, keys, elsewhere, lookups);
    }
    List<Lookup> all = new ArrayList<>();
    for (Lookup lookup : lookups) {
      if (lookup != null) {
        all.add(lookup);
      }
    }
    return all;
  }

  /** Asks for each shard that is elsewhere, all at the same time. */
  private void remote(
      ServedVersion version,
      List<Bytes> keys,
      Map<Integer, List<Integer>> elsewhere,
      @Nullable Lookup[] lookups) {
    List<Callable<Void>> tasks = new ArrayList<>();
    for (Map.Entry<Integer, List<Integer>> group : elsewhere.entrySet()) {
      tasks.add(
          () -> {
            List<Integer> positions = group.getValue();
            List<Bytes> some = positions.stream().map(keys::get).toList();
            List<Lookup> answers = remote(version, group.getKey(), some);
            for (int i = 0; i < answers.size(); i++) {
              lookups[positions.get(i)] = answers.get(i);
            }
            return null;
          });
    }
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<Void> task : threads.invokeAll(tasks)) {
        task.get();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException e) {
      throw new IllegalStateException("a lookup broke", e.getCause());
    }
    for (List<Integer> positions : elsewhere.values()) {
      for (int position : positions) {
        if (lookups[position] == null) {
          lookups[position] =
              new Lookup.Failed(version.version(), Lookup.Failure.TIMED_OUT, "interrupted");
        }
      }
    }
  }

  private List<Lookup> remote(ServedVersion version, int shard, List<Bytes> keys) {
    List<Lookup> lookups = new ArrayList<>();
    switch (peers.ask(version, shard, keys)) {
      case PeerLookup.Outcome.Answered(List<PeerAnswer> answers, String address) -> {
        Origin origin = new Origin(version.version(), version.createdMicros(), address);
        for (PeerAnswer answer : answers) {
          lookups.add(
              answer instanceof PeerAnswer.Found(Bytes value)
                  ? new Lookup.Found(value, origin)
                  : new Lookup.Missing(origin));
        }
      }
      case PeerLookup.Outcome.GivenUp(Lookup.Failure failure, String reason) -> {
        for (int i = 0; i < keys.size(); i++) {
          lookups.add(new Lookup.Failed(version.version(), failure, reason));
        }
      }
    }
    return lookups;
  }

  /**
   * Answers a peer, from what is here alone.
   *
   * @param shards as the peer counts them: nodes that listed a version while it was still being
   *     copied may differ, and would miss each other's keys; 0 if it does not say
   */
  List<PeerAnswer> answer(
      @Nullable ServedVersion version, String what, int shards, List<Bytes> keys) {
    List<PeerAnswer> answers = new ArrayList<>();
    if (version != null) {
      version.touch(clock.nanos());
    }
    for (Bytes key : keys) {
      answers.add(
          version == null
              ? new PeerAnswer.NotHere(what + " is not here")
              : shards != 0 && shards != version.shards()
                  ? new PeerAnswer.NotHere(
                      "%s has %d shards here, and %d were asked for"
                          .formatted(what, version.shards(), shards))
                  : answer(version, what, key.sharedArray()));
    }
    return answers;
  }

  private static PeerAnswer answer(ServedVersion version, String what, byte[] key) {
    int shard = ShardHash.shard(key, version.shards());
    Shard local = version.held(shard);
    if (local == null) {
      return new PeerAnswer.NotHere("shard " + shard + " of " + what + " is not here");
    }
    try {
      byte[] value = local.get(key);
      return value == null ? new PeerAnswer.Missing() : new PeerAnswer.Found(Bytes.wrap(value));
    } catch (RetiredShardException e) {
      return new PeerAnswer.NotHere("shard " + shard + " of " + what + " is no longer here");
    } catch (CorruptDataException e) {
      version.damaged(local, e);
      return new PeerAnswer.NotHere("shard " + shard + " of " + what + " cannot be read: " + e);
    }
  }

  private static Lookup lookup(ServedVersion version, byte @Nullable [] value) {
    Origin origin = new Origin(version.version(), version.createdMicros(), "");
    return value == null ? new Lookup.Missing(origin) : new Lookup.Found(Bytes.wrap(value), origin);
  }
}
