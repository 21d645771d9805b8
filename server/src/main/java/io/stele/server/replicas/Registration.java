package io.stele.server.replicas;

import io.stele.base.error.ConflictException;
import io.stele.base.error.SteleException;
import io.stele.client.metastore.Election;
import io.stele.client.metastore.Session;
import io.stele.replicas.metadata.Coordination.LiveServer;
import io.stele.server.cluster.SessionLoop;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a server of replicated tables says in the metastore as long as a session of it lives: that
 * it is there, how full its disk is, and, if it was elected, that it looks after all tables. When
 * the session is lost nothing else ends: the server keeps its replicas and goes on with what it
 * knows, and says all of it again under the next session.
 */
final class Registration implements SessionLoop.Work {
  private static final Duration IN_LINE = Duration.ofSeconds(30);
  private static final Duration LOOK = Duration.ofSeconds(20);

  private final Supplier<LiveServer> self;
  private volatile Runnable check = () -> {};
  private final CountDownLatch registered = new CountDownLatch(1);
  private volatile Election.@Nullable Leadership lead;

  /**
   * A server that has said nothing yet.
   *
   * @param self what there is to say; looks at the disk
   */
  Registration(Supplier<LiveServer> self) {
    this.self = self;
  }

  /**
   * From now on registers only where a check passes.
   *
   * @param clusterCheck throws what is wrong with the metastore
   */
  void checkedBy(Runnable clusterCheck) {
    check = clusterCheck;
  }

  boolean leads() {
    Election.Leadership held = lead;
    return held != null && held.isLeader();
  }

  /** Waits until it has been registered once; false if that takes longer. */
  boolean awaitRegistered(Duration patience) throws InterruptedException {
    return registered.await(patience.toNanos(), TimeUnit.NANOSECONDS);
  }

  @Override
  public String whenLost() {
    return "it goes on with the replicas that it has, and registers again";
  }

  @Override
  public SessionLoop.Tenure begin(Session session, Runnable alarm) {
    check.run();
    Said said = new Said(session, alarm);
    said.say(self.get());
    registered.countDown();
    said.start();
    return said;
  }

  private final class Said implements SessionLoop.Tenure {
    private final Session session;
    private final Runnable alarm;
    private final CountDownLatch over = new CountDownLatch(1);
    private LiveServer last = new LiveServer("", "", 0, 0);

    Said(Session session, Runnable alarm) {
      this.session = session;
      this.alarm = alarm;
    }

    /** Under the same key as an earlier session, which then takes nothing with it any more. */
    void say(LiveServer server) {
      session.put(ReplicaKeys.server(server.id()), ServerText.write(server));
      last = server;
    }

    void start() {
      var _ = Thread.ofVirtual().name("stele-replica-disk").start(this::followDisk);
      var _ = Thread.ofVirtual().name("stele-replica-leader").start(this::standForElection);
    }

    /** Says again how full the disk is when that has changed by some percent. */
    private void followDisk() {
      try {
        while (!over.await(LOOK.toNanos(), TimeUnit.NANOSECONDS)) {
          LiveServer now = self.get();
          if (Math.abs(now.freeBytes() - last.freeBytes()) > now.totalBytes() / 100) {
            sayIfPossible(now);
          }
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    private void sayIfPossible(LiveServer now) {
      try {
        say(now);
      } catch (SteleException e) {
        // The next time, or under the next session.
      }
    }

    private void standForElection() {
      while (over.getCount() > 0) {
        try {
          lead = session.election(ReplicaKeys.LEADER).campaign(self.get().address(), IN_LINE);
          if (over.getCount() == 0) {
            lead = null; // the lock goes with the session
          }
          return;
        } catch (ConflictException e) {
          // Others are before it in line.
        } catch (SteleException e) {
          if (session.isAlive() && over.getCount() > 0) {
            alarm.run(); // begins anew
          }
          return;
        }
      }
    }

    @Override
    public void abandon() {
      over.countDown();
      lead = null;
    }

    @Override
    public void end() {
      abandon();
    }
  }
}
