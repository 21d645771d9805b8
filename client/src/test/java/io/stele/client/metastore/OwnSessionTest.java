package io.stele.client.metastore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.ExhaustedException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.protocol.v1.Origin;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The session under which a client numbers its changes. */
@Execution(ExecutionMode.CONCURRENT)
class OwnSessionTest {
  private final FakeMetastore metastore = new FakeMetastore();
  private final FakeServer server = new FakeServer(metastore);
  private final MetastoreClient client =
      new MetastoreClient(List.of(server.address()), RepeatRulesTest.QUICK);

  @AfterEach
  void close() {
    client.close();
    server.close();
  }

  @Test
  void isOpenedForTheFirstChangeAndClosedWithTheClient() {
    client.get("/a");
    assertThat(server.calls("OpenSession")).isZero();
    client.put("/a", "1");
    client.put("/a", "2");
    assertThat(server.calls("OpenSession")).isEqualTo(1);
    assertThat(metastore.sessions()).hasSize(1);
    client.close();
    assertThat(metastore.sessions()).isEmpty();
  }

  @Test
  void changesUnderWayTogetherHaveDifferentNumbersOfOneSession() {
    List<CompletableFuture<PutResult>> puts = new ArrayList<>();
    for (int i = 0; i < 3_000; i++) {
      puts.add(client.async().put("/key" + i, "v"));
    }
    puts.forEach(CompletableFuture::join);
    assertThat(metastore.origins.stream().map(Origin::getSession).distinct()).hasSize(1);
    assertThat(metastore.applied()).isEqualTo(3_000);
    assertThat(metastore.origins.stream().map(Origin::getSequence).distinct())
        .containsExactlyInAnyOrderElementsOf(LongStream.rangeClosed(1, 3_000).boxed().toList());
    assertThat(metastore.origins)
        .allMatch(o -> o.getAnsweredBelow() <= o.getSequence())
        .allMatch(o -> o.getSequence() - o.getAnsweredBelow() < Sequences.WINDOW);
    client.put("/last", "v");
    assertThat(metastore.origins.getLast().getAnsweredBelow()).isEqualTo(3_001);
  }

  @Test
  void anotherOneIsOpenedWhenItHasEnded() {
    client.put("/a", "1");
    metastore.endAllSessions();
    client.put("/a", "2");
    assertThat(metastore.applied()).isEqualTo(2);
    assertThat(server.calls("OpenSession")).isEqualTo(2);
    assertThat(metastore.content()).containsEntry("/a", "2");
  }

  @Test
  void aLostAnswerIsUnknownIfTheSessionEndedMeanwhile() {
    client.put("/a", "1");
    metastore.endAllSessions();
    server.fail("Put", Fault.lostRequest());
    assertThatThrownBy(() -> client.put("/a", "2"))
        .isInstanceOf(OutcomeUnknownException.class)
        .hasMessageContaining("has ended");
    client.put("/a", "3");
    assertThat(metastore.content()).containsEntry("/a", "3");
  }

  @Test
  void aLostAnswerIsUnknownIfTheServerIsThenTooBusyToTell() {
    client.put("/a", "1");
    server.fail("Put", Fault.lostAnswer(), Fault.refused(new ExhaustedException("full")));
    assertThatThrownBy(() -> client.put("/a", "2")).isInstanceOf(OutcomeUnknownException.class);
  }

  @Test
  void openingIsRepeatedWithoutASecondSession() {
    server.fail("OpenSession", Fault.lostAnswer());
    client.put("/a", "1");
    assertThat(server.calls("OpenSession")).isEqualTo(2);
    assertThat(metastore.sessions()).hasSize(1);
  }
}
