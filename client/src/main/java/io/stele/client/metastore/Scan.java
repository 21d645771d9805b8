package io.stele.client.metastore;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Queue;
import java.util.function.Supplier;

/**
 * Elements that are fetched a page at a time.
 *
 * @param <T> the elements
 */
final class Scan<T> implements Iterator<T> {
  /**
   * Fetches pages, one after the other.
   *
   * @param <T> the elements
   */
  interface Pages<T> {
    /** Adds the next page; returns whether there may be more. */
    boolean fetch(Queue<T> into);
  }

  private final Pages<T> pages;
  private final Queue<T> fetched = new ArrayDeque<>();
  private boolean more = true;

  Scan(Pages<T> pages) {
    this.pages = pages;
  }

  /** A new scan for each loop. */
  static <T> Iterable<T> each(Supplier<Pages<T>> pages) {
    return () -> new Scan<>(pages.get());
  }

  @Override
  public boolean hasNext() {
    while (fetched.isEmpty() && more) {
      more = pages.fetch(fetched);
    }
    return !fetched.isEmpty();
  }

  @Override
  public T next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    return fetched.remove();
  }
}
