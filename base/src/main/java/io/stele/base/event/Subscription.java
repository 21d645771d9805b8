package io.stele.base.event;

/** Ends a subscription: a call that is running goes on, no other begins. Closing twice is fine. */
@FunctionalInterface
public interface Subscription extends AutoCloseable {
  @Override
  void close();
}
