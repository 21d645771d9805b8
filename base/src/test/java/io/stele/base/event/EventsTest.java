package io.stele.base.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class EventsTest {
  private sealed interface TestEvent extends Event {
    @Override
    default Level level() {
      return Level.INFO;
    }

    @Override
    default String text() {
      return toString();
    }
  }

  private record Opened(int id) implements TestEvent {}

  private record Closed(int id) implements TestEvent {}

  private final List<String> failures = new ArrayList<>();
  private final Events events =
      new Events((event, failure) -> failures.add(event + ": " + failure.getMessage()));
  private final List<String> seen = new ArrayList<>();

  @Test
  void subscribersGetTheEventsOfTheirTypeInOrder() {
    events.subscribe(Opened.class, e -> seen.add("opened " + e.id()));
    events.subscribe(Event.class, e -> seen.add("any " + e.text()));
    events.publish(new Opened(1));
    events.publish(new Closed(2));
    assertThat(seen).containsExactly("opened 1", "any Opened[id=1]", "any Closed[id=2]");
  }

  @Test
  void aClosedSubscriptionGetsNothingMore() {
    try (Subscription _ = events.subscribe(Opened.class, e -> seen.add("a" + e.id()))) {
      events.publish(new Opened(1));
    }
    Subscription other = events.subscribe(Opened.class, e -> seen.add("b" + e.id()));
    events.publish(new Opened(2));
    other.close();
    other.close();
    events.publish(new Opened(3));
    assertThat(seen).containsExactly("a1", "b2");
  }

  @Test
  void closingOneOfTwoEqualSubscriptionsLeavesTheOther() {
    Consumer<Opened> consumer = e -> seen.add("seen " + e.id());
    Subscription first = events.subscribe(Opened.class, consumer);
    events.subscribe(Opened.class, consumer);
    first.close();
    first.close();
    events.publish(new Opened(1));
    assertThat(seen).containsExactly("seen 1");
  }

  @Test
  void aFailureReachesTheFallbackAndNobodyElse() {
    events.subscribe(
        Opened.class,
        e -> {
          throw new IllegalStateException("broken " + e.id());
        });
    events.subscribe(
        Opened.class,
        _ -> {
          throw new AssertionError("an error too");
        });
    events.subscribe(Opened.class, e -> seen.add("after " + e.id()));
    events.publish(new Opened(1));
    assertThat(seen).containsExactly("after 1");
    assertThat(failures).containsExactly("Opened[id=1]: broken 1", "Opened[id=1]: an error too");
  }

  @Test
  void aCallbackMaySubscribeAndTheNewSubscriberGetsTheNextEvent() {
    events.subscribe(
        Opened.class,
        e -> events.subscribe(Opened.class, later -> seen.add(e.id() + " sees " + later.id())));
    events.publish(new Opened(1));
    assertThat(seen).isEmpty();
    events.publish(new Opened(2));
    assertThat(seen).containsExactly("1 sees 2");
  }

  @Test
  void aCallbackMayUnsubscribeItselfAndOthersOfTheSameDispatch() {
    List<Subscription> subscriptions = new ArrayList<>();
    subscriptions.add(
        events.subscribe(
            Opened.class,
            e -> {
              seen.add("first " + e.id());
              subscriptions.forEach(Subscription::close);
            }));
    subscriptions.add(events.subscribe(Opened.class, e -> seen.add("second " + e.id())));
    events.subscribe(Opened.class, e -> seen.add("third " + e.id()));
    events.publish(new Opened(1));
    events.publish(new Opened(2));
    assertThat(seen).containsExactly("first 1", "third 1", "third 2");
  }

  @Test
  void aCallbackMayPublish() {
    events.subscribe(Opened.class, e -> events.publish(new Closed(e.id())));
    events.subscribe(TestEvent.class, e -> seen.add(e.text()));
    events.publish(new Opened(1));
    assertThat(seen).containsExactly("Closed[id=1]", "Opened[id=1]");
  }

  @Test
  void noLockIsHeldWhileACallbackRuns() throws InterruptedException, ExecutionException {
    CountDownLatch inCallback = new CountDownLatch(1);
    CountDownLatch othersDone = new CountDownLatch(1);
    AtomicInteger closed = new AtomicInteger();
    events.subscribe(
        Opened.class,
        _ -> {
          inCallback.countDown();
          try {
            othersDone.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<?> publisher = threads.submit(() -> events.publish(new Opened(1)));
      inCallback.await();
      // The first thread stands in its callback; this one can do everything meanwhile.
      events.subscribe(Closed.class, _ -> closed.incrementAndGet()).close();
      events.subscribe(Closed.class, _ -> closed.incrementAndGet());
      events.publish(new Closed(2));
      assertThat(closed).hasValue(1);
      othersDone.countDown();
      publisher.get();
    }
  }
}
