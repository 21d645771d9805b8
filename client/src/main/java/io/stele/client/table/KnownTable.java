package io.stele.client.table;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.SteleException;
import io.stele.base.predicate.RowRange;
import io.stele.base.table.TabletLocation;
import io.stele.client.table.TabletLocations.Place;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The places of one table's tablets. Readers take the array as it is; writers, one at a time, put
 * another one in its place.
 *
 * <p>Operations that come before their tablet's place is known wait, and are told in the order in
 * which they came; only then do others find the place, so that none overtakes those before it:
 *
 * <pre>
 *   waiting ──► asked ──► arriving: waiters are told, one after the other ──► places: all find them
 * </pre>
 */
final class KnownTable {
  /**
   * Somebody who wants to know the tablet of a row.
   *
   * @param afresh whether only the answer to a question will do that is not asked yet
   */
  record Waiter(Bytes row, boolean afresh, CompletableFuture<List<TabletLocation>> answer) {}

  private static final Place[] NONE = {};

  // Invariant, of both: in the order of rows, and no two have a row in common; there may be holes.
  private volatile Place[] places = NONE;
  private volatile Place[] arriving = NONE;
  private List<Waiter> waiting = new ArrayList<>(); // guarded by this; for this question's answer
  private List<Waiter> waitingForNext = new ArrayList<>(); // guarded by this
  private boolean asking; // guarded by this

  @Nullable Place whole() {
    Place[] now = places;
    return now.length == 1 && now[0].tablet().first().isEmpty() && now[0].tablet().last().isEmpty()
        ? now[0]
        : null;
  }

  @Nullable Place find(byte[] row, int offset, int length) {
    return find(places, row, offset, length);
  }

  /** As {@link #find}, for those that were told. */
  @Nullable Place findInTurn(byte[] row, int offset, int length) {
    Place found = find(arriving, row, offset, length);
    return found == null ? find(places, row, offset, length) : found;
  }

  private static @Nullable Place find(Place[] now, byte[] row, int offset, int length) {
    int at = firstEndingAtOrBehind(now, row, offset, length);
    return at < now.length && beginsBefore(now[at].tablet(), row, offset, length) ? now[at] : null;
  }

  private static int firstEndingAtOrBehind(Place[] places, byte[] row, int offset, int length) {
    int low = 0;
    int high = places.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      Optional<Bytes> last = places[middle].tablet().last();
      if (last.isPresent() && last.get().compareTo(row, offset, length) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private static boolean beginsBefore(TabletLocation tablet, byte[] row, int offset, int length) {
    return tablet.first().isEmpty() || tablet.first().compareTo(row, offset, length) < 0;
  }

  /** The rows of a place and of those right behind it at the same server, up to an end. */
  RowRange run(Place from, @Nullable Bytes end) {
    Place[] now = arriving.length == 0 ? places : arriving;
    Optional<Bytes> last = from.tablet().last();
    while (last.isPresent() && (end == null || last.get().compareTo(end) < 0)) {
      Bytes first = last.get().successor();
      int next = firstEndingAtOrBehind(now, first.sharedArray(), 0, first.length());
      if (next == now.length
          || now[next].endpoint() != from.endpoint()
          || !now[next].tablet().first().equals(last.get())) {
        break;
      }
      last = now[next].tablet().last();
    }
    return rows(new TabletLocation(from.tablet().first(), last, ""));
  }

  static RowRange rows(Place place) {
    return rows(place.tablet());
  }

  private static RowRange rows(TabletLocation tablet) {
    return new RowRange(
        tablet.first().isEmpty() ? Bytes.EMPTY : tablet.first().successor(),
        tablet.last().map(Bytes::successor).orElse(null));
  }

  /**
   * Knows better about the rows behind {@code first} up to {@code last}.
   *
   * @param found in order; rows that they do not have are not known
   */
  synchronized void learn(Bytes first, Optional<Bytes> last, List<Place> found) {
    List<Place> all = new ArrayList<>();
    for (Place place : places) {
      Optional<Bytes> end = place.tablet().last();
      if (end.isPresent() && end.get().compareTo(first) <= 0) {
        all.add(place);
      }
    }
    all.addAll(found);
    for (Place place : places) {
      if (last.isPresent()
          && !place.tablet().first().isEmpty()
          && place.tablet().first().compareTo(last.get()) >= 0) {
        all.add(place);
      }
    }
    places = all.toArray(Place[]::new);
  }

  synchronized void forget(Predicate<Place> wrong) {
    Place[] right = Arrays.stream(places).filter(wrong.negate()).toArray(Place[]::new);
    if (right.length < places.length) {
      places = right;
    }
  }

  // ---- asking

  /**
   * Waits for an answer; true if nobody has asked yet, and the caller must.
   *
   * <p>Whoever did not find the place a moment ago may find it here: if it asked, those who come
   * next would overtake it.
   */
  boolean join(Waiter waiter) {
    Place known;
    synchronized (this) {
      known = waiter.afresh ? null : find(waiter.row.sharedArray(), 0, waiter.row.length());
      if (known == null) {
        boolean first = !asking;
        asking = true;
        (waiter.afresh && !first ? waitingForNext : waiting).add(waiter);
        return first;
      }
    }
    waiter.answer.complete(List.of(known.tablet()));
    return false;
  }

  /**
   * The answer to the question for a row.
   *
   * @param served those of the tablets that a server has
   * @return another row that must be asked for
   */
  Optional<Bytes> answer(Bytes row, List<TabletLocation> tablets, List<Place> served) {
    arriving = served.toArray(Place[]::new);
    while (true) {
      List<Waiter> told = new ArrayList<>();
      synchronized (this) {
        List<Waiter> left = new ArrayList<>();
        for (Waiter waiter : waiting) {
          (isAnswered(waiter, row, tablets) ? told : left).add(waiter);
        }
        waiting = left;
        if (told.isEmpty()) {
          if (!tablets.isEmpty()) {
            learn(tablets.getFirst().first(), tablets.getLast().last(), served);
          }
          arriving = NONE;
          waiting.addAll(waitingForNext);
          waitingForNext = new ArrayList<>();
          asking = !waiting.isEmpty();
          return asking ? Optional.of(waiting.getFirst().row) : Optional.empty();
        }
      }
      told.forEach(waiter -> waiter.answer.complete(tablets));
    }
  }

  private static boolean isAnswered(Waiter waiter, Bytes row, List<TabletLocation> tablets) {
    return waiter.row.equals(row) || tablets.stream().anyMatch(t -> t.holds(waiter.row));
  }

  /** There is no answer. */
  void fail(SteleException problem) {
    List<Waiter> told;
    synchronized (this) {
      told = waiting;
      told.addAll(waitingForNext);
      waiting = new ArrayList<>();
      waitingForNext = new ArrayList<>();
      arriving = NONE;
      asking = false;
    }
    told.forEach(waiter -> waiter.answer.completeExceptionally(problem));
  }
}
