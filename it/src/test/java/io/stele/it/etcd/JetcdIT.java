package io.stele.it.etcd;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.Election;
import io.etcd.jetcd.Watch;
import io.etcd.jetcd.election.CampaignResponse;
import io.etcd.jetcd.election.LeaderKey;
import io.etcd.jetcd.election.LeaderResponse;
import io.etcd.jetcd.election.NoLeaderException;
import io.etcd.jetcd.election.NotLeaderException;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.lock.LockResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.DeleteOption;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.PutOption;
import io.etcd.jetcd.options.WatchOption;
import io.etcd.jetcd.support.CloseableClient;
import io.etcd.jetcd.watch.WatchEvent;
import io.grpc.stub.StreamObserver;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** jetcd on a group of one: the calls that etcdctl does not make, locks and elections above all. */
class JetcdIT {
  @TempDir private Path directory;

  private SteleNode node;
  private Client client;

  @BeforeEach
  void start() throws Exception {
    node = SteleNode.start(directory);
    client = Client.builder().endpoints("http://" + node.address()).build();
  }

  @AfterEach
  void stop() throws Exception {
    client.close();
    node.close();
  }

  private static ByteSequence bytes(String text) {
    return ByteSequence.from(text, UTF_8);
  }

  private static <T> T get(CompletableFuture<T> future) throws Exception {
    return future.get(30, TimeUnit.SECONDS);
  }

  private long lease(long seconds) throws Exception {
    return get(client.getLeaseClient().grant(seconds)).getID();
  }

  @Test
  void keysAndTransactions() throws Exception {
    var kv = client.getKVClient();
    get(kv.put(bytes("a"), bytes("1")));
    get(kv.put(bytes("b"), bytes("2"), PutOption.builder().withPrevKV().build()));
    GetResponse all = get(kv.get(bytes("a"), GetOption.builder().withRange(bytes("c")).build()));
    assertThat(all.getKvs())
        .extracting(found -> found.getValue().toString(UTF_8))
        .containsExactly("1", "2");
    TxnResponse done =
        get(
            kv.txn()
                .If(new Cmp(bytes("a"), Cmp.Op.EQUAL, CmpTarget.value(bytes("1"))))
                .Then(Op.put(bytes("a"), bytes("3"), PutOption.DEFAULT))
                .Else(Op.get(bytes("a"), GetOption.DEFAULT))
                .commit());
    assertThat(done.isSucceeded()).isTrue();
    assertThat(
            get(kv.delete(bytes("a"), DeleteOption.builder().isPrefix(true).build())).getDeleted())
        .isOne();
  }

  @Test
  void aWatchTellsPutsAndDeletions() throws Exception {
    List<String> told = new CopyOnWriteArrayList<>();
    try (Watch.Watcher _ =
        client
            .getWatchClient()
            .watch(
                bytes("w"),
                WatchOption.builder().isPrefix(true).withPrevKV(true).withRevision(2).build(),
                response -> {
                  for (WatchEvent event : response.getEvents()) {
                    told.add(
                        event.getEventType()
                            + " "
                            + event.getKeyValue().getKey().toString(UTF_8)
                            + " "
                            + event.getPrevKV().getValue().toString(UTF_8));
                  }
                })) {
      get(client.getKVClient().put(bytes("w1"), bytes("x")));
      get(client.getKVClient().put(bytes("w1"), bytes("y")));
      get(client.getKVClient().delete(bytes("w1")));
      await().atMost(Duration.ofSeconds(20)).until(() -> told.size() == 3);
    }
    assertThat(told).containsExactly("PUT w1 ", "PUT w1 x", "DELETE w1 y");
  }

  @Test
  void aLeaseIsKeptAliveAndEndsWithItsKeys() throws Exception {
    long lease = lease(2);
    CompletableFuture<Void> renewedTwice = new CompletableFuture<>();
    try (CloseableClient _ =
        client.getLeaseClient().keepAlive(lease, new Counting<>(2, renewedTwice))) {
      get(
          client
              .getKVClient()
              .put(bytes("k"), bytes("v"), PutOption.builder().withLeaseId(lease).build()));
      get(renewedTwice);
      assertThat(get(client.getKVClient().get(bytes("k"))).getCount()).isOne();
    }
    await("the end of the lease")
        .atMost(Duration.ofSeconds(20))
        .until(() -> get(client.getKVClient().get(bytes("k"))).getCount() == 0);
  }

  /** Completes after so many messages. */
  private static final class Counting<T> implements StreamObserver<T> {
    private final CompletableFuture<Void> done;
    private int left;

    Counting(int messages, CompletableFuture<Void> done) {
      this.left = messages;
      this.done = done;
    }

    @Override
    public synchronized void onNext(T message) {
      if (--left == 0) {
        done.complete(null);
      }
    }

    @Override
    public void onError(Throwable problem) {
      done.completeExceptionally(problem);
    }

    @Override
    public void onCompleted() {
      done.completeExceptionally(new AssertionError("the stream has ended"));
    }
  }

  @Test
  void aLockIsHeldByOneAndPassesOn() throws Exception {
    long first = lease(60);
    long second = lease(60);
    LockResponse held = get(client.getLockClient().lock(bytes("mutex"), first));
    assertThat(held.getKey().toString(UTF_8)).isEqualTo("mutex/" + Long.toHexString(first));
    CompletableFuture<LockResponse> waiting = client.getLockClient().lock(bytes("mutex"), second);
    await("the second in the queue")
        .atMost(Duration.ofSeconds(20))
        .until(
            () ->
                get(client
                            .getKVClient()
                            .get(bytes("mutex/"), GetOption.builder().isPrefix(true).build()))
                        .getCount()
                    == 2);
    assertThat(waiting).isNotDone();

    get(client.getLockClient().unlock(held.getKey()));

    assertThat(get(waiting).getKey().toString(UTF_8))
        .isEqualTo("mutex/" + Long.toHexString(second));
    assertThat(get(client.getLockClient().lock(bytes("mutex"), second)).getKey())
        .as("who has it has it")
        .isEqualTo(get(waiting).getKey());
  }

  /** Whoever waited must not believe to have it when its own lease has ended meanwhile. */
  @Test
  void aLockIsNotGrantedToALeaseThatHasEnded() throws Exception {
    long first = lease(60);
    long second = lease(60);
    LockResponse held = get(client.getLockClient().lock(bytes("mutex"), first));
    CompletableFuture<LockResponse> waiting = client.getLockClient().lock(bytes("mutex"), second);
    await("the second in the queue")
        .atMost(Duration.ofSeconds(20))
        .until(
            () ->
                get(client.getKVClient().get(bytes("mutex/" + Long.toHexString(second)))).getCount()
                    == 1);
    get(client.getLeaseClient().revoke(second));
    get(client.getLockClient().unlock(held.getKey()));

    assertThatThrownBy(() -> get(waiting)).hasMessageContaining("session is expired");
  }

  @Test
  void oneIsElectedProclaimsAndResigns() throws Exception {
    Election election = client.getElectionClient();
    long first = lease(60);
    long second = lease(60);
    List<String> observed = new CopyOnWriteArrayList<>();
    election.observe(
        bytes("office"),
        new Election.Listener() {
          @Override
          public void onNext(LeaderResponse response) {
            observed.add(response.getKv().getValue().toString(UTF_8));
          }

          @Override
          public void onError(Throwable problem) {
            observed.add("error " + problem);
          }

          @Override
          public void onCompleted() {}
        });
    LeaderKey leader = get(election.campaign(bytes("office"), first, bytes("one"))).getLeader();
    CompletableFuture<CampaignResponse> waiting =
        election.campaign(bytes("office"), second, bytes("two"));
    assertThat(get(election.leader(bytes("office"))).getKv().getValue()).isEqualTo(bytes("one"));
    get(election.proclaim(leader, bytes("one again")));
    await().atMost(Duration.ofSeconds(20)).until(() -> observed.contains("one again"));
    assertThat(waiting).isNotDone();

    get(election.resign(leader));

    LeaderKey next = get(waiting).getLeader();
    await().atMost(Duration.ofSeconds(20)).until(() -> observed.contains("two"));
    assertThat(observed).endsWith("one again", "two");
    assertThatThrownBy(() -> get(election.proclaim(leader, bytes("late"))))
        .hasCauseInstanceOf(NotLeaderException.class);
    get(election.resign(next));
    assertThatThrownBy(() -> get(election.leader(bytes("office"))))
        .hasCauseInstanceOf(NoLeaderException.class);
  }
}
