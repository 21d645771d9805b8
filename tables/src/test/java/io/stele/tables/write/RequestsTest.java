package io.stele.tables.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.RequestMark;
import io.stele.tables.write.WritePath.Done;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RequestsTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final Requests requests = new Requests(3);

  private static RequestMark mark(int number) {
    return new RequestMark(Bytes.utf8("request " + number), 10);
  }

  private void add(int number, long txn, long now) {
    requests.add("t", mark(number), new Done(txn, Bytes.EMPTY), now);
  }

  private boolean knows(int number) {
    return requests.find("t", mark(number).id()).isPresent();
  }

  @Test
  void aRequestIsRememberedForItsLifetime() {
    add(1, 100, 0);
    add(2, 101, 9 * SECOND);
    assertThat(requests.find("t", mark(1).id())).contains(new Done(100, Bytes.EMPTY));
    assertThat(requests.find("other", mark(1).id())).isEmpty();
    add(3, 102, 19 * SECOND);
    assertThat(knows(2)).as("of the generation before").isTrue();
    add(4, 103, 30 * SECOND);
    assertThat(knows(1)).isFalse();
    assertThat(knows(3)).isTrue();
  }

  @Test
  void manyAreKnownWithTheirAnswers() {
    Requests many = new Requests(1 << 20);
    for (int i = 1; i <= 1_000; i++) {
      Bytes answer = i % 2 == 0 ? Bytes.EMPTY : Bytes.utf8("answer " + i);
      many.add("t", mark(1_000 + i), new Done(i, answer), SECOND);
    }
    for (int i = 1; i <= 1_000; i++) {
      Bytes answer = i % 2 == 0 ? Bytes.EMPTY : Bytes.utf8("answer " + i);
      assertThat(many.find("t", mark(1_000 + i).id())).contains(new Done(i, answer));
    }
    assertThat(many.find("t", mark(999).id())).isEmpty();
  }

  @Test
  void ofATabletThatHasBeenHereLongEnoughAllAreKnown() {
    assertThat(requests.knowsAll(0, mark(1), 0)).as("the server has just begun").isFalse();
    add(1, 100, SECOND);
    assertThat(requests.knowsAll(50, mark(2), 10 * SECOND)).as("for 9 seconds").isFalse();
    assertThat(requests.knowsAll(50, mark(2), 11 * SECOND)).as("for 10 seconds").isTrue();
    assertThat(requests.knowsAll(100, mark(2), 11 * SECOND)).as("came then or later").isFalse();
  }

  @Test
  void whatWasForgottenEarlyIsNotTakenForUnknown() {
    add(0, 99, 0);
    assertThat(requests.knowsAll(50, mark(9), 10 * SECOND)).isTrue();
    for (int i = 1; i <= 7; i++) {
      add(i, 100 + i, 9 * SECOND);
    }
    assertThat(knows(0)).isFalse();
    assertThat(requests.knowsAll(50, mark(9), 10 * SECOND)).isFalse();
    assertThat(requests.knowsAll(50, mark(9), 20 * SECOND)).isTrue();
  }
}
