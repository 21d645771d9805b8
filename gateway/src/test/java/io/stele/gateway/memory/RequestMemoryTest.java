package io.stele.gateway.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RequestMemoryTest {
  private static final long MEGABYTE = 1 << 20;

  private final RequestMemory memory = new RequestMemory(10 * MEGABYTE);
  private final List<String> refused = new ArrayList<>();

  private RequestMemory.Stream stream(String name) {
    RequestMemory.Stream stream = memory.new Stream();
    stream.onRefusal(problem -> refused.add(name + ": " + problem.getMessage()));
    return stream;
  }

  private static void receive(RequestMemory.Stream stream, int megabytes) {
    for (int i = 0; i < 4 * megabytes; i++) {
      stream.inboundWireSize(MEGABYTE / 4);
    }
  }

  @Test
  void smallMessagesDoNotCount() {
    RequestMemory.Stream stream = stream("a");
    for (int i = 0; i < 100; i++) {
      stream.inboundWireSize(MEGABYTE);
      stream.inboundMessageRead(i, MEGABYTE, MEGABYTE);
    }
    assertThat(memory.used()).isZero();
    assertThat(refused).isEmpty();
  }

  @Test
  void theCallThatHasReceivedLeastIsRefusedWithTheNumbers() {
    RequestMemory.Stream first = stream("first");
    RequestMemory.Stream second = stream("second");
    RequestMemory.Stream third = stream("third");
    receive(first, 5);
    receive(second, 2);
    receive(third, 3);
    assertThat(refused).isEmpty();
    receive(first, 1);
    assertThat(refused)
        .singleElement()
        .asString()
        .startsWith("second: ")
        .contains("take 10747904 bytes, at most 10485760, and 2097152 of them");
    receive(second, 9); // which was under way
    assertThat(refused).hasSize(1);
    assertThat(memory.used()).isEqualTo(9 * MEGABYTE);
  }

  @Test
  void aMessageThatIsAloneIsTakenWhateverItsSize() {
    RequestMemory.Stream alone = stream("alone");
    receive(alone, 50);
    assertThat(refused).isEmpty();
    RequestMemory.Stream other = stream("other");
    receive(other, 2);
    assertThat(refused).singleElement().asString().startsWith("other: ");
  }

  /** What is being carried out cannot be refused any more. */
  @Test
  void aMessageCountsUntilItIsDoneWith() {
    RequestMemory.Stream arrived = stream("arrived");
    receive(arrived, 8);
    arrived.inboundMessageRead(0, 8 * MEGABYTE, 8 * MEGABYTE);
    RequestMemory.Stream next = stream("next");
    receive(next, 3);
    assertThat(refused).singleElement().asString().startsWith("next: ");
    arrived.release(8 * MEGABYTE);
    assertThat(memory.used()).isZero();
    receive(arrived, 3);
    arrived.streamClosed(Status.CANCELLED);
    assertThat(memory.used()).isZero();
  }

  @Test
  void aCallThatCannotBeRefusedIsNot() {
    RequestMemory.Stream stubborn = memory.new Stream();
    receive(stubborn, 6);
    RequestMemory.Stream other = stream("other");
    receive(other, 7);
    assertThat(refused).singleElement().asString().startsWith("other: ");
  }
}
