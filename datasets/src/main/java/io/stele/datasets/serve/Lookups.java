package io.stele.datasets.serve;

import io.stele.base.bytes.Bytes;
import io.stele.base.dataset.Lookup;
import io.stele.base.dataset.Origin;
import io.stele.base.error.CorruptDataException;
import io.stele.base.error.NotFoundException;
import io.stele.base.time.Clock;
import io.stele.datasets.shard.RetiredShardException;
import io.stele.datasets.shard.Shard;
import io.stele.datasets.shard.ShardEntry;
import io.stele.datasets.shard.ShardHash;
import java.io.FilterInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
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
      ServedVersion version = current(dataset, serving);
      List<Lookup> lookups = get(version, keys);
      boolean failed = lookups.stream().anyMatch(lookup -> lookup instanceof Lookup.Failed);
      if (!failed || serving.get() == version) {
        return lookups;
      }
      // The version may have been let go under the lookup; the next one has what is asked for.
    }
  }

  /** Begins to look a key up; a large value is still to be read. */
  Glance<OpenedLookup> glance(
      String dataset, Bytes key, Supplier<@Nullable ServedVersion> serving) {
    ServedVersion version = current(dataset, serving);
    byte[] bytes = key.sharedArray();
    int shard = ShardHash.shard(bytes, version.shards());
    Shard local = version.held(shard);
    if (local == null) {
      return new Glance.Asked<>(open(dataset, key, serving, version, shard));
    }
    try {
      ShardEntry entry = local.look(bytes, false, LargeValue.THRESHOLD);
      if (entry instanceof ShardEntry.Value || entry instanceof ShardEntry.Missing) {
        return new Glance.Known<>(opened(version, local, entry));
      }
    } catch (RetiredShardException | CorruptDataException e) {
      // Looked at again by a thread that may wait.
    }
    return new Glance.OnDisk<>(() -> open(dataset, key, serving, version, shard));
  }

  /**
   * As {@link #get}, of one key. May wait for the disk, and does not wait for other nodes.
   *
   * @param version to look in, if it is not let go meanwhile
   * @param shard that the key has in it
   */
  private CompletableFuture<OpenedLookup> open(
      String dataset,
      Bytes key,
      Supplier<@Nullable ServedVersion> serving,
      ServedVersion version,
      int shard) {
    return get(version, shard, key)
        .thenCompose(
            lookup -> {
              if (lookup instanceof OpenedLookup.Whole(Lookup.Failed _)
                  && serving.get() != version) {
                ServedVersion next = current(dataset, serving);
                int there = ShardHash.shard(key.sharedArray(), next.shards());
                return open(dataset, key, serving, next, there);
              }
              return CompletableFuture.completedFuture(lookup);
            });
  }

  private ServedVersion current(String dataset, Supplier<@Nullable ServedVersion> serving) {
    ServedVersion version = serving.get();
    if (version == null) {
      throw new NotFoundException("dataset " + dataset + ": no version of it is served here");
    }
    version.touch(clock.nanos());
    return version;
  }

  private CompletableFuture<OpenedLookup> get(ServedVersion version, int shard, Bytes key) {
    Shard local = version.held(shard);
    if (local != null) {
      try {
        return CompletableFuture.completedFuture(
            opened(version, local, local.look(key.sharedArray(), true, LargeValue.THRESHOLD)));
      } catch (CorruptDataException e) {
        version.damaged(local, e);
        return instead(version, shard, key, e);
      } catch (RetiredShardException e) {
        // Others may have it still.
      }
    }
    return remote(version, shard, List.of(key)).thenApply(List::getFirst);
  }

  private static OpenedLookup opened(ServedVersion version, Shard local, ShardEntry entry) {
    Origin origin = new Origin(version.version(), version.createdMicros(), "");
    return switch (entry) {
      case ShardEntry.Value(Bytes value) -> new OpenedLookup.Whole(new Lookup.Found(value, origin));
      case ShardEntry.Missing() -> new OpenedLookup.Whole(new Lookup.Missing(origin));
      case ShardEntry.Large large -> new OpenedLookup.Large(large(version, local, large), origin);
      case ShardEntry.OnDisk() -> throw new IllegalStateException("a lookup that did not wait");
    };
  }

  private static LargeValue large(ServedVersion version, Shard local, ShardEntry.Large large) {
    return new LargeValue(
        large.length(),
        new FilterInputStream(large.content()) {
          @Override
          public int read(byte[] target, int offset, int length) throws IOException {
            try {
              return super.read(target, offset, length);
            } catch (CorruptDataException e) {
              version.damaged(local, e);
              throw new IOException(e.getMessage(), e);
            }
          }
        });
  }

  /** Others may have a shard that cannot be read here. */
  private CompletableFuture<OpenedLookup> instead(
      ServedVersion version, int shard, Bytes key, CorruptDataException e) {
    return remote(version, shard, List.of(key))
        .thenApply(
            lookups ->
                lookups.getFirst() instanceof OpenedLookup.Whole(Lookup.Failed failed)
                    ? failed(
                        version,
                        Lookup.Failure.LOCAL,
                        "shard %d of version %s of %s cannot be read: %s; others: %s"
                            .formatted(
                                shard,
                                version.version(),
                                version.dataset(),
                                e.getMessage(),
                                failed.reason()))
                    : lookups.getFirst());
  }

  /** Other nodes are all asked at the same time, for each shard that is not here. */
  private List<Lookup> get(ServedVersion version, List<Bytes> keys) {
    @Nullable Lookup[] lookups = new Lookup[keys.size()];
    Map<Integer, List<Integer>> elsewhere = new TreeMap<>(); // positions of keys, by shard
    for (int i = 0; i < lookups.length; i++) {
      int shard = ShardHash.shard(keys.get(i).sharedArray(), version.shards());
      if (version.held(shard) == null) {
        elsewhere.computeIfAbsent(shard, _ -> new ArrayList<>()).add(i);
      } else {
        lookups[i] =
            whole(await(get(version, shard, keys.get(i))).orElseGet(() -> interrupted(version)));
      }
    }
    Map<Integer, CompletableFuture<List<OpenedLookup>>> asked = new TreeMap<>();
    elsewhere.forEach(
        (shard, positions) ->
            asked.put(shard, remote(version, shard, positions.stream().map(keys::get).toList())));
    asked.forEach(
        (shard, request) -> {
          List<Integer> positions = elsewhere.getOrDefault(shard, List.of());
          Optional<List<OpenedLookup>> answers = await(request);
          for (int i = 0; i < positions.size(); i++) {
            lookups[positions.get(i)] =
                whole(answers.isPresent() ? answers.get().get(i) : interrupted(version));
          }
        });
    List<Lookup> all = new ArrayList<>();
    for (Lookup lookup : lookups) {
      if (lookup != null) {
        all.add(lookup);
      }
    }
    return all;
  }

  /** Empty if this thread is interrupted while it waits. */
  private static <T> Optional<T> await(CompletableFuture<T> lookup) {
    try {
      return Optional.of(lookup.get());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException known
          ? known
          : new IllegalStateException("a lookup broke", e.getCause());
    }
  }

  private static OpenedLookup interrupted(ServedVersion version) {
    return failed(version, Lookup.Failure.TIMED_OUT, "interrupted");
  }

  /** What becomes of a lookup, for a caller that waits for it. */
  static Lookup await(Glance<OpenedLookup> glance) {
    return whole(
        switch (glance) {
          case Glance.Known<OpenedLookup>(OpenedLookup lookup) -> lookup;
          case Glance.OnDisk<OpenedLookup>(var rest) -> awaitOne(rest.get());
          case Glance.Asked<OpenedLookup>(var answer) -> awaitOne(answer);
        });
  }

  private static OpenedLookup awaitOne(CompletableFuture<OpenedLookup> lookup) {
    return await(lookup)
        .orElseGet(
            () ->
                new OpenedLookup.Whole(
                    new Lookup.Failed("", Lookup.Failure.TIMED_OUT, "interrupted")));
  }

  private CompletableFuture<List<OpenedLookup>> remote(
      ServedVersion version, int shard, List<Bytes> keys) {
    return peers
        .ask(version, shard, keys)
        .thenApply(
            outcome ->
                switch (outcome) {
                  case PeerLookup.Outcome.Answered(List<PeerAnswer> answers, String address) ->
                      answered(version, answers, address);
                  case PeerLookup.Outcome.GivenUp(Lookup.Failure failure, String reason) ->
                      Collections.nCopies(keys.size(), failed(version, failure, reason));
                });
  }

  private static List<OpenedLookup> answered(
      ServedVersion version, List<PeerAnswer> answers, String address) {
    Origin origin = new Origin(version.version(), version.createdMicros(), address);
    List<OpenedLookup> lookups = new ArrayList<>(answers.size());
    for (PeerAnswer answer : answers) {
      lookups.add(
          switch (answer) {
            case PeerAnswer.Found(Bytes value) ->
                new OpenedLookup.Whole(new Lookup.Found(value, origin));
            case PeerAnswer.Large(LargeValue value) -> new OpenedLookup.Large(value, origin);
            case PeerAnswer.Missing() -> new OpenedLookup.Whole(new Lookup.Missing(origin));
            case PeerAnswer.TooLarge(), PeerAnswer.NotHere _ ->
                throw new IllegalStateException("no answer: " + answer);
          });
    }
    return lookups;
  }

  private static OpenedLookup failed(ServedVersion version, Lookup.Failure failure, String reason) {
    return new OpenedLookup.Whole(new Lookup.Failed(version.version(), failure, reason));
  }

  /** Reads a large value to its end, for a caller that cannot take pieces. */
  static Lookup whole(OpenedLookup lookup) {
    return switch (lookup) {
      case OpenedLookup.Whole(Lookup whole) -> whole;
      case OpenedLookup.Large(LargeValue value, Origin origin) -> whole(value, origin);
    };
  }

  private static Lookup whole(LargeValue value, Origin origin) {
    Lookup.Failure failure = origin.proxied() ? Lookup.Failure.NO_PEER : Lookup.Failure.LOCAL;
    try (value) {
      if (!origin.proxied() || value.length() <= LargeValue.MOST_WHOLE) {
        return new Lookup.Found(value.whole(), origin);
      }
      return new Lookup.Failed(
          origin.version(),
          failure,
          "the value has %d bytes: those of more than %d can only be read by GET over HTTP"
              .formatted(value.length(), LargeValue.MOST_WHOLE));
    } catch (IOException e) {
      return new Lookup.Failed(origin.version(), failure, "the value broke off: " + e.getMessage());
    }
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
    for (Bytes key : keys) {
      answers.add(answer(version, what, shards, key, Integer.MAX_VALUE));
    }
    return answers;
  }

  /** As {@link #answer}, of one key, begun by a thread that must not wait. */
  Glance<PeerAnswer> glanceForPeer(
      @Nullable ServedVersion version, String what, int shards, Bytes key) {
    Shard local = null;
    if (version != null && !otherShards(version, shards)) {
      byte[] bytes = key.sharedArray();
      local = version.held(ShardHash.shard(bytes, version.shards()));
      try {
        if (local != null) {
          version.touch(clock.nanos());
          ShardEntry entry = local.look(bytes, false, LargeValue.THRESHOLD);
          if (entry instanceof ShardEntry.Value || entry instanceof ShardEntry.Missing) {
            return new Glance.Known<>(answer(version, local, entry));
          }
        }
      } catch (RetiredShardException | CorruptDataException e) {
        // Looked at again by a thread that may wait.
      }
    }
    return local == null
        ? new Glance.Known<>(answer(version, what, shards, key, LargeValue.THRESHOLD))
        : new Glance.OnDisk<>(
            () ->
                CompletableFuture.completedFuture(
                    answer(version, what, shards, key, LargeValue.THRESHOLD)));
  }

  private static boolean otherShards(ServedVersion version, int shards) {
    return shards != 0 && shards != version.shards();
  }

  private PeerAnswer answer(
      @Nullable ServedVersion version, String what, int shards, Bytes key, int mostWhole) {
    if (version == null) {
      return new PeerAnswer.NotHere(what + " is not here");
    }
    version.touch(clock.nanos());
    if (otherShards(version, shards)) {
      return new PeerAnswer.NotHere(
          "%s has %d shards here, and %d were asked for".formatted(what, version.shards(), shards));
    }
    int shard = ShardHash.shard(key.sharedArray(), version.shards());
    Shard local = version.held(shard);
    if (local == null) {
      return new PeerAnswer.NotHere("shard " + shard + " of " + what + " is not here");
    }
    try {
      return answer(version, local, local.look(key.sharedArray(), true, mostWhole));
    } catch (RetiredShardException e) {
      return new PeerAnswer.NotHere("shard " + shard + " of " + what + " is no longer here");
    } catch (CorruptDataException e) {
      version.damaged(local, e);
      return new PeerAnswer.NotHere("shard " + shard + " of " + what + " cannot be read: " + e);
    }
  }

  private static PeerAnswer answer(ServedVersion version, Shard local, ShardEntry entry) {
    return switch (entry) {
      case ShardEntry.Value(Bytes value) -> new PeerAnswer.Found(value);
      case ShardEntry.Missing() -> new PeerAnswer.Missing();
      case ShardEntry.Large large -> new PeerAnswer.Large(large(version, local, large));
      case ShardEntry.OnDisk() -> throw new IllegalStateException("a lookup that did not wait");
    };
  }
}
