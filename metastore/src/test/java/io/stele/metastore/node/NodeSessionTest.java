package io.stele.metastore.node;

import static io.stele.metastore.node.TestNode.TTL;
import static io.stele.metastore.node.TestNode.now;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.DeniedException;
import io.stele.base.error.ExhaustedException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.NotServingException;
import io.stele.base.settings.ByteSize;
import io.stele.metastore.command.Command;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class NodeSessionTest {
  private TestNode test = TestNode.solo();

  @AfterEach
  void close() {
    test.close();
  }

  private void manual() {
    test.close();
    test = TestNode.manual(NodeSettings.DEFAULT);
  }

  /** "NewClient: creates a new client connection", with an id that never comes again. */
  @Test
  void idsAreUniqueOverRestarts() {
    Set<Long> ids = new HashSet<>();
    for (int start = 0; start < 5; start++) {
      for (int i = 0; i < 40; i++) {
        assertThat(ids.add(test.session())).isTrue();
      }
      test.restart();
    }
    assertThat(ids).hasSize(200);
  }

  @Test
  void aRepeatedRequestOpensNoSecondSession() {
    long first = test.session("same");
    test.restart();
    assertThat(test.session("same")).isEqualTo(first);
  }

  /** "KeepAlive: periodically called to ensure that the client is still active." */
  @Test
  void livesAsLongAsItIsKeptAlive() {
    long session = test.session();
    test.putEphemeral("/e", session);
    for (int i = 0; i < 5; i++) {
      test.pass(TTL.multipliedBy(9).dividedBy(10));
      assertThat(now(test.node().keepAlive("", session))).isEqualTo(TTL);
    }
    assertThat(test.get("/e")).isPresent();
  }

  @Test
  void expiresWithItsKeysWhenNothingIsHeardOfIt() {
    long session = test.session();
    test.putEphemeral("/e/1", session);
    test.putEphemeral("/e/2", session);
    test.put("/stays", "1");
    long before = test.node().status().revision();
    test.pass(TTL.minusMillis(1));
    assertThat(test.get("/e/1")).isPresent();

    test.pass(Duration.ofMillis(10));
    assertThat(test.get("/e/1")).isEmpty();
    assertThat(test.get("/e/2")).isEmpty();
    assertThat(test.get("/stays")).isPresent();
    assertThat(test.node().status().revision()).as("one revision").isEqualTo(before + 1);
    assertThat(test.node().status().sessions()).isZero();
    assertThatThrownBy(() -> now(test.node().keepAlive("", session)))
        .isInstanceOf(NotFoundException.class)
        .hasMessageContaining("" + session);
  }

  @Test
  void aNewLeaderGrantsTheFullTime() {
    long session = test.session();
    test.putEphemeral("/e", session);
    test.pass(TTL.minusSeconds(1));
    test.restart();
    test.pass(TTL.minusSeconds(1));
    assertThat(test.get("/e")).isPresent();
    test.pass(Duration.ofSeconds(2));
    assertThat(test.get("/e")).isEmpty();
  }

  @Test
  void closingEndsItAtOnce() {
    long session = test.session();
    test.putEphemeral("/e", session);
    now(test.node().closeSession("", session));
    assertThat(test.get("/e")).isEmpty();
    assertThatThrownBy(() -> now(test.node().closeSession("", session)))
        .isInstanceOf(NotFoundException.class);
  }

  @Test
  void belongsToItsPrincipal() {
    long session = test.session();
    assertThatThrownBy(() -> now(test.node().keepAlive("mallory", session)))
        .isInstanceOf(DeniedException.class);
    assertThatThrownBy(() -> now(test.node().closeSession("mallory", session)))
        .isInstanceOf(DeniedException.class);
  }

  @Test
  void aTimeThatNobodyKeepsIsRefused() {
    for (Duration time : new Duration[] {Duration.ZERO, Duration.ofMillis(1), Duration.ofDays(9)}) {
      assertThatThrownBy(() -> now(test.node().openSession("", time, "", Bytes.EMPTY)))
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining(time.toString());
    }
  }

  @Test
  void onceItsEndIsProposedNothingRenewsIt() {
    manual();
    long session = test.session();
    test.log().automatic = false;
    test.clock.advance(TTL);
    test.node().tick();
    assertThat(test.log().entries.getFirst().commands())
        .containsExactly(
            new Command.ExpireSession(session, test.node().status().standing().term()));
    assertThatThrownBy(() -> now(test.node().keepAlive("", session)))
        .isInstanceOf(NotFoundException.class);
  }

  @Test
  void anEndThatDidNotComeIsProposedAgain() {
    manual();
    long session = test.session();
    test.log().automatic = false;
    test.clock.advance(TTL);
    test.node().tick();
    test.node().tick();
    assertThat(test.log().entries).hasSize(1);
    test.clock.advance(Duration.ofSeconds(2));
    test.node().tick();
    assertThat(test.log().entries).hasSize(2);
    test.log().applyAll();
    assertThat(test.node().status().sessions()).isZero();
    assertThat(session).isPositive();
  }

  /** A leader that was deposed and does not know must not let a client believe that it lives. */
  @Test
  void whoeverLeadsNoLongerRenewsNothing() {
    manual();
    long session = test.session();
    test.log().holdsBarriers = true;
    CompletableFuture<Duration> renewal = test.node().keepAlive("", session);
    assertThat(renewal).isNotDone();
    test.log().confirmBarriers(false);
    assertThatThrownBy(() -> now(renewal))
        .isInstanceOf(NotServingException.class)
        .satisfies(e -> assertThat(((NotServingException) e).hint()).contains("127.0.0.1:4"));

    test.clock.advance(TTL);
    test.log().automatic = false;
    test.node().tick();
    assertThat(test.log().entries).as("it was not renewed").hasSize(1);
  }

  @Test
  void nothingThatWasMissedLivesForEver() {
    long session = 77;
    SessionLeases leases = new SessionLeases(Duration.ofSeconds(1));
    leases.leads(Map.of(), 0);
    leases.adopt(Map.of(session, TTL), 7);
    assertThat(leases.due(TTL.toNanos() + 6)).isEmpty();
    assertThat(leases.due(TTL.toNanos() + 7)).containsExactly(session);
    assertThat(leases.renew(session, TTL, TTL.toNanos() + 8))
        .isEqualTo(SessionLeases.Renewal.ENDING);
  }

  /** It lost the lead after it had been asked: who leads now may renew the session yet. */
  @Test
  void whoLostTheLeadDoesNotSayThatASessionEnds() {
    SessionLeases leases = new SessionLeases(Duration.ofSeconds(1));
    leases.leads(Map.of(1L, TTL), 0);
    leases.follows();
    assertThat(leases.renew(1, TTL, 1)).isEqualTo(SessionLeases.Renewal.NOT_LEADING);
  }

  /** The lead is lost and regained while an expiry is on its way into the log. */
  @Test
  void anExpiryOfAnEarlierTermEndsNothing() {
    manual();
    long session = test.session();
    now(test.node().grantLease(9, TTL));
    test.log().automatic = false;
    test.clock.advance(TTL);
    test.node().tick();
    Command[] late =
        test.log().entries.stream().flatMap(e -> e.commands().stream()).toArray(Command[]::new);
    assertThat(late).isNotEmpty();
    test.log().depose();
    test.log().lead(test.node().status().standing().term() + 1);
    test.log().automatic = true;
    assertThat(now(test.node().keepAlive("", session))).isEqualTo(TTL);

    test.log().applyFromElsewhere(late);

    assertThat(now(test.node().keepAlive("", session))).isEqualTo(TTL);
    assertThat(now(test.node().leases())).containsExactly(9L);
  }

  @Test
  void noMoreSessionsAreOpenedThanMayLive() {
    test.close();
    test = TestNode.solo(NodeSettings.DEFAULT.withLimits(new NodeLimits(ByteSize.ofGiB(1), 2, 1)));
    long first = test.session("one");
    test.session("two");
    assertThatThrownBy(() -> test.session("three"))
        .isInstanceOf(ExhaustedException.class)
        .hasMessageContaining("2 sessions live")
        .hasMessageContaining("metastore.limits");
    now(test.node().closeSession("", first));
    assertThat(test.session("four")).isPositive();
  }

  @Test
  void aFollowerEndsNoSessions() {
    manual();
    test.session();
    test.log().depose();
    test.clock.advance(TTL.multipliedBy(10));
    test.node().tick();
    assertThat(test.log().proposed).isEqualTo(1);
  }

  /** The time in which the leader itself was stopped does not count against its clients. */
  @Test
  void aLeaderThatSleptGivesTheTimeBack() {
    SessionLeases leases = new SessionLeases(Duration.ofSeconds(1));
    leases.leads(Map.of(1L, Duration.ofSeconds(5)), 0);
    leases.extend(Duration.ofSeconds(60).toNanos());
    assertThat(leases.due(Duration.ofSeconds(64).toNanos())).isEmpty();
    assertThat(leases.due(Duration.ofSeconds(65).toNanos())).containsExactly(1L);
  }
}
