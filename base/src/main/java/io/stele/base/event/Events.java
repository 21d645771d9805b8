package io.stele.base.event;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Hands events to subscribers, in the publisher's thread, in the order of subscription, with no
 * lock held. A callback may subscribe, unsubscribe and publish; who subscribes during a dispatch
 * gets the next event.
 *
 * <p>What a subscriber throws reaches neither the publisher nor the other subscribers: it goes to
 * the fallback that the owner gave. Any number of threads may use it.
 */
public final class Events {
  private final BiConsumer<? super Event, ? super Throwable> fallback;
  // Read at every event and seldom changed: iteration is over the list as it was at its start.
  private final List<Subscriber<?>> subscribers = new CopyOnWriteArrayList<>();

  /**
   * Makes a bus without subscribers.
   *
   * @param fallback gets what a subscriber threw and the event it was given; it must not throw
   */
  public Events(BiConsumer<? super Event, ? super Throwable> fallback) {
    this.fallback = fallback;
  }

  /** Calls {@code consumer} with each later event of this type or a subtype. */
  public <E extends Event> Subscription subscribe(Class<E> type, Consumer<? super E> consumer) {
    Subscriber<E> subscriber = new Subscriber<>(type, consumer);
    subscribers.add(subscriber);
    return () -> {
      subscriber.open = false;
      subscribers.remove(subscriber);
    };
  }

  public void publish(Event event) {
    for (Subscriber<?> subscriber : subscribers) {
      try {
        subscriber.offer(event);
      } catch (RuntimeException | Error e) {
        fallback.accept(event, e);
      }
    }
  }

  private static final class Subscriber<E extends Event> {
    private final Class<E> type;
    private final Consumer<? super E> consumer;
    private volatile boolean open = true; // false ends dispatches that are under way, too

    private Subscriber(Class<E> type, Consumer<? super E> consumer) {
      this.type = type;
      this.consumer = consumer;
    }

    private void offer(Event event) {
      if (open && type.isInstance(event)) {
        consumer.accept(type.cast(event));
      }
    }
  }
}
