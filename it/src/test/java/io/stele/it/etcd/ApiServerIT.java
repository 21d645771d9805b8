package io.stele.it.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.stele.base.time.Clock;
import io.stele.it.metastore.Workers;
import io.stele.it.process.Fault;
import io.stele.it.process.Fault.Kind;
import io.stele.it.process.Fault.Victim;
import io.stele.it.process.FaultRun;
import io.stele.it.process.SteleCluster;
import io.stele.protocol.etcd.CompactionRequest;
import io.stele.protocol.etcd.Compare;
import io.stele.protocol.etcd.DeleteRangeRequest;
import io.stele.protocol.etcd.KeyValue;
import io.stele.protocol.etcd.LeaseGrantRequest;
import io.stele.protocol.etcd.PutRequest;
import io.stele.protocol.etcd.RangeRequest;
import io.stele.protocol.etcd.RangeResponse;
import io.stele.protocol.etcd.RequestOp;
import io.stele.protocol.etcd.TxnRequest;
import io.stele.protocol.etcd.TxnResponse;
import io.stele.testkit.run.LongRun;
import io.stele.testkit.run.Seed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What Kubernetes' API server does to an etcd, on three members that are killed: many clients
 * update objects under guard of their mod revisions, events share leases that expire, a compactor
 * works meanwhile, and caches are built from lists and watches. No acknowledged update is lost, and
 * each cache is at all times what the store has at the cache's revision.
 */
@Timeout(3_600)
class ApiServerIT {
  private static final String REGISTRY = "/registry/";
  private static final int OBJECTS = 60;
  private static final int CLIENTS = 6;
  private static final Duration PACE = Duration.ofMillis(40);
  private static final Fault LEADER = Fault.of(Kind.KILL, Victim.LEADER);

  /** Of an object: what was acknowledged, and what may have been done. */
  private record Count(AtomicLong acknowledged, AtomicLong unknown) {
    Count() {
      this(new AtomicLong(), new AtomicLong());
    }
  }

  private final Map<String, Count> counts = new ConcurrentHashMap<>();

  @Test
  void cachesAreRightWhileAMemberAndTheLeaderAreKilled() throws Exception {
    run(
        Seed.of(ApiServerIT.class, 18),
        (run, check) -> {
          check.run();
          run.inject(Fault.of(Kind.KILL, Victim.FOLLOWER));
          check.run();
          run.inject(LEADER);
          check.run();
        });
  }

  @Test
  @Tag(LongRun.TAG)
  void cachesAreRightWhileTheLeaderIsKilledEveryTwentySeconds() throws Exception {
    long seed = Seed.varied(ApiServerIT.class);
    Duration share = LongRun.share(5);
    Clock clock = Clock.system();
    long start = clock.nanos();
    AtomicLong faults = new AtomicLong();
    CountDownLatch never = new CountDownLatch(1);
    long answers = 0;
    long violations = 1;
    try {
      answers =
          run(
              seed,
              (run, check) -> {
                while (clock.nanos() - start < share.toNanos()) {
                  long next = clock.nanos() + Duration.ofSeconds(20).toNanos();
                  run.inject(LEADER);
                  faults.incrementAndGet();
                  do {
                    check.run();
                    var _ = never.await(500, TimeUnit.MILLISECONDS); // the pace of the checks
                  } while (clock.nanos() - next < 0);
                }
              });
      violations = 0;
    } finally {
      LongRun.record(
          new LongRun.Outcome(
              ApiServerIT.class.getSimpleName(),
              seed,
              Duration.ofNanos(clock.nanos() - start),
              answers,
              faults.get(),
              violations,
              Duration.ZERO));
    }
  }

  /** What happens while the clients work. */
  private interface Story {
    void tell(FaultRun run, Runnable check) throws InterruptedException;
  }

  private long run(long seed, Story story) throws Exception {
    try (SteleCluster cluster = SteleCluster.named("api-server").with(3, "metastore").start();
        ApiServerMembers members = new ApiServerMembers(cluster)) {
      List<ApiServerCache> caches = new ArrayList<>();
      Workers workers = new Workers("API clients", seed);
      try {
        for (int i = 0; i < 3; i++) {
          caches.add(new ApiServerCache(members, REGISTRY, i));
        }
        start(workers, members);
        await("work").atMost(SteleCluster.RECOVERY).until(() -> workers.answers() > 100);
        FaultRun run =
            new FaultRun(
                cluster, seed, FaultRun.Lengths.of(Duration.ofSeconds(1)), cluster::awaitProgress);
        story.tell(run, () -> caches.forEach(cache -> check(members, cache)));
        workers.stop();
        checkCounts(members);
        checkAtTheEnd(members, caches);
        System.out.println(workers + "; caches: " + caches);
        return workers.answers();
      } finally {
        for (ApiServerCache cache : caches) {
          cache.close();
        }
      }
    }
  }

  // ---- work

  private void start(Workers workers, ApiServerMembers members) {
    for (int i = 0; i < CLIENTS; i++) {
      int member = i;
      Map<String, KeyValue> known = new ConcurrentHashMap<>();
      workers.start(random -> step(workers, random, () -> update(members, member, random, known)));
    }
    workers.start(random -> step(workers, random, () -> recordEvents(members, random)));
    workers.start(random -> step(workers, random, () -> comeAndGo(members, random)));
    AtomicLong before = new AtomicLong();
    workers.start(
        random -> {
          step(workers, random, () -> compact(members, random, before));
          workers.pause(Duration.ofSeconds(1));
        });
  }

  private static void step(Workers workers, RandomGenerator random, Runnable action)
      throws InterruptedException {
    try {
      action.run();
      workers.answered();
    } catch (StatusRuntimeException e) {
      workers.refused();
    }
    workers.pause(PACE.plusMillis(random.nextInt(20)));
  }

  private static ByteString bytes(String text) {
    return ByteString.copyFromUtf8(text);
  }

  private static RequestOp put(String key, String value, long lease) {
    return RequestOp.newBuilder()
        .setRequestPut(
            PutRequest.newBuilder().setKey(bytes(key)).setValue(bytes(value)).setLease(lease))
        .build();
  }

  private static RequestOp get(String key) {
    return RequestOp.newBuilder()
        .setRequestRange(RangeRequest.newBuilder().setKey(bytes(key)))
        .build();
  }

  /** If the key was last changed at a revision (0 for: does not exist), does it; else reads it. */
  private static TxnRequest guarded(String key, long modified, RequestOp change) {
    return TxnRequest.newBuilder()
        .addCompare(
            Compare.newBuilder()
                .setKey(bytes(key))
                .setTarget(Compare.CompareTarget.MOD)
                .setModRevision(modified))
        .addSuccess(change)
        .addFailure(get(key))
        .build();
  }

  /** Adds one to a counter, which starts at what this client knows of it. */
  private void update(
      ApiServerMembers members, int member, RandomGenerator random, Map<String, KeyValue> known) {
    String key = REGISTRY + "pods/" + random.nextInt(OBJECTS);
    KeyValue last = known.getOrDefault(key, KeyValue.getDefaultInstance());
    long count = last.getValue().isEmpty() ? 0 : Long.parseLong(last.getValue().toStringUtf8());
    Count tally = counts.computeIfAbsent(key, first -> new Count());
    RequestOp change = put(key, Long.toString(count + 1), 0);
    TxnResponse answer;
    try {
      answer = members.keys(member).txn(guarded(key, last.getModRevision(), change));
    } catch (StatusRuntimeException e) {
      tally.unknown().incrementAndGet();
      known.remove(key);
      throw e;
    }
    if (answer.getSucceeded()) {
      tally.acknowledged().incrementAndGet();
      known.put(
          key,
          KeyValue.newBuilder()
              .setValue(bytes(Long.toString(count + 1)))
              .setModRevision(answer.getHeader().getRevision())
              .build());
    } else {
      RangeResponse found = answer.getResponses(0).getResponseRange();
      known.put(key, found.getKvsCount() == 0 ? KeyValue.getDefaultInstance() : found.getKvs(0));
    }
  }

  /** Twenty events on one lease, which nobody renews. */
  private static void recordEvents(ApiServerMembers members, RandomGenerator random) {
    int member = random.nextInt(3);
    long lease =
        members.leases(member).leaseGrant(LeaseGrantRequest.newBuilder().setTTL(2).build()).getID();
    TxnRequest.Builder events = TxnRequest.newBuilder();
    for (int i = 0; i < 20; i++) {
      events.addSuccess(put(REGISTRY + "events/" + lease + "." + i, "event", lease));
    }
    members.keys(member).txn(events.build());
  }

  private static void comeAndGo(ApiServerMembers members, RandomGenerator random) {
    String key = REGISTRY + "jobs/" + random.nextInt(10);
    int member = random.nextInt(3);
    RangeResponse found =
        members.keys(member).range(RangeRequest.newBuilder().setKey(bytes(key)).build());
    RequestOp change =
        found.getKvsCount() == 0
            ? put(key, "job", 0)
            : RequestOp.newBuilder()
                .setRequestDeleteRange(DeleteRangeRequest.newBuilder().setKey(bytes(key)))
                .build();
    long modified = found.getKvsCount() == 0 ? 0 : found.getKvs(0).getModRevision();
    members.keys(member).txn(guarded(key, modified, change));
  }

  /** To where the store was at the last turn, as the API server does every five minutes. */
  private static void compact(ApiServerMembers members, RandomGenerator random, AtomicLong before) {
    int member = random.nextInt(3);
    RangeResponse key =
        members
            .keys(member)
            .range(RangeRequest.newBuilder().setKey(bytes("compact_rev_key")).build());
    long modified = key.getKvsCount() == 0 ? 0 : key.getKvs(0).getModRevision();
    long target = before.get();
    TxnResponse answer =
        members
            .keys(member)
            .txn(guarded("compact_rev_key", modified, put("compact_rev_key", "" + target, 0)));
    before.set(answer.getHeader().getRevision());
    if (answer.getSucceeded() && target > 0) {
      try {
        members.keys(member).compact(CompactionRequest.newBuilder().setRevision(target).build());
      } catch (StatusRuntimeException e) {
        if (e.getStatus().getCode() != Status.Code.OUT_OF_RANGE) { // compacted by the lost try
          throw e;
        }
      }
    }
  }

  // ---- checks

  /** The cache against the store at the cache's revision, unless that is compacted by now. */
  private static void check(ApiServerMembers members, ApiServerCache cache) {
    assertThat(cache.violations()).isEmpty();
    ApiServerCache.Content content = cache.content();
    if (content.revision() == 0) {
      return;
    }
    for (int member = 0; member < 3; member++) {
      try {
        assertThat(content.entries())
            .as("cache at revision %d, beside the store at member %d", content.revision(), member)
            .isEqualTo(at(members, member, content.revision()));
        return;
      } catch (StatusRuntimeException e) {
        if (e.getStatus().getCode() == Status.Code.OUT_OF_RANGE) {
          return; // compacted meanwhile: another time
        }
      }
    }
  }

  private static Map<String, String> at(ApiServerMembers members, int member, long revision) {
    return ApiServerCache.stored(
        members
            .keys(member)
            .range(
                RangeRequest.newBuilder()
                    .setKey(bytes(REGISTRY))
                    .setRangeEnd(ApiServerMembers.endOf(REGISTRY))
                    .setRevision(revision)
                    .build()));
  }

  private void checkCounts(ApiServerMembers members) {
    await("an answer")
        .atMost(SteleCluster.RECOVERY)
        .ignoreExceptionsMatching(problem -> problem instanceof StatusRuntimeException)
        .until(() -> !at(members, 0, 0).isEmpty());
    Map<String, String> stored = at(members, 0, 0);
    counts.forEach(
        (key, count) -> {
          String found = stored.getOrDefault(key, "0:0");
          long value = Long.parseLong(found.substring(found.indexOf(':') + 1));
          assertThat(value)
              .as("updates of %s: acknowledged, and perhaps done", key)
              .isBetween(
                  count.acknowledged().get(), count.acknowledged().get() + count.unknown().get());
        });
    assertThat(counts).hasSizeGreaterThan(OBJECTS / 2);
  }

  /** When nothing happens any more, progress brings each cache to the store's revision. */
  private static void checkAtTheEnd(ApiServerMembers members, List<ApiServerCache> caches) {
    for (ApiServerCache cache : caches) {
      await("a cache that has caught up: " + cache)
          .atMost(SteleCluster.RECOVERY)
          .ignoreExceptionsMatching(problem -> problem instanceof StatusRuntimeException)
          .until(
              () ->
                  cache.content().revision()
                      >= members
                          .keys(0)
                          .range(RangeRequest.newBuilder().setKey(bytes("none")).build())
                          .getHeader()
                          .getRevision());
      check(members, cache);
      assertThat(cache.progressTold()).as("progress of %s", cache).isPositive();
    }
  }
}
