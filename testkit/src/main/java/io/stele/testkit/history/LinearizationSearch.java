package io.stele.testkit.history;

/**
 * Looks for an order of one partition's operations that the model could have executed, and in which
 * each stands between its call and its return: the search of Wing and Gong, that remembers where it
 * has been as Lowe does. What keeps it short beyond that:
 *
 * <ul>
 *   <li>An operation that changes nothing gets its place as soon as its answer fits: if it fits
 *       later it fits now, and there is nothing to come back for.
 *   <li>A state is not left while someone still has to see it and nobody is left to bring it back.
 *   <li>A write that nobody notices gets its place right before the next write that does not care
 *       what it overwrites: nowhere does it disturb less.
 *   <li>An operation of unknown outcome is tried last, and what comes next must need it.
 * </ul>
 *
 * <p>The search goes down and back on a stack of its own, since a history is deeper than a
 * thread's.
 */
final class LinearizationSearch {

  enum Answer {
    LINEARIZABLE,
    IMPOSSIBLE,
    GIVEN_UP
  }

  private static final int NONE = Partition.NONE;

  private final Partition<?, ?, ?> partition;
  private final long limit;
  private final PendingEvents events;
  private final SeenConfigurations seen = new SeenConfigurations();

  // The configuration: which operations have their place, and the state they lead to.
  private final long[] placed;
  private final long[] spent;
  private int highest = -1;
  private int unplaced;
  private int state;

  // Invariant: by state, counts over the operations without a place.
  private final int[] needed;
  private final int[] producible;
  private int producers;

  // Operations in the order of their places.
  private final int[] trail;
  private int trailLength;

  // The choices that led here. Frame f stands at the configuration with the first trailMark[f]
  // places taken; cursor[f] is the event of the choice tried last, in the pass over answered
  // operations or in the one over unknown ones.
  private final int[] trailMark;
  private final int[] cursor;
  private final boolean[] unknownPass;
  private final int[] frameState;
  private final int[] frameHighest;
  private final int[] idleFrom;
  private int frames;

  LinearizationSearch(Partition<?, ?, ?> partition, long limit) {
    this.partition = partition;
    this.limit = limit;
    this.events = new PendingEvents(partition);
    int size = partition.size();
    placed = new long[(partition.answered() >>> 6) + 1];
    spent = new long[(size - partition.answered() + 63) >>> 6];
    unplaced = partition.answered();
    state = partition.initial();
    needed = new int[partition.states()];
    producible = new int[partition.states()];
    trail = new int[size];
    trailMark = new int[size + 1];
    cursor = new int[size + 1];
    unknownPass = new boolean[size + 1];
    frameState = new int[size + 1];
    frameHighest = new int[size + 1];
    idleFrom = new int[size + 1];
    for (int i = 0; i < size; i++) {
      count(i, 1);
    }
  }

  Answer run() {
    for (int s = 0; s < partition.states(); s++) {
      if (s != state && lost(s)) {
        return Answer.IMPOSSIBLE;
      }
    }
    if (arrive(NONE)) {
      return Answer.LINEARIZABLE;
    }
    for (long steps = 0; frames > 0; steps++) {
      if (steps == limit) {
        return Answer.GIVEN_UP;
      }
      if (step()) {
        return Answer.LINEARIZABLE;
      }
    }
    return Answer.IMPOSSIBLE;
  }

  /** Tries the next choice of the uppermost frame; true if that completes the linearization. */
  private boolean step() {
    int frame = frames - 1;
    rewind(frame);
    int choice = nextChoice(frame);
    if (choice == NONE) {
      frames--;
      return false;
    }
    int before = state;
    int after = partition.after(before, choice);
    if (partition.overwrites(choice)) {
      placeAllUnnoticedBut(choice);
    }
    place(choice);
    state = after;
    if (after != before && lost(before)) {
      return false;
    }
    return arrive(partition.known(choice) ? NONE : before);
  }

  /**
   * Takes what is free to take, then opens a frame for the choices from here, unless they have been
   * seen to lead nowhere.
   *
   * @param before the state before the operation of unknown outcome that led here, if one did
   */
  private boolean arrive(int before) {
    int mark = trailLength;
    placeAllThatChangeNothing();
    if (unplaced == 0) {
      return true;
    }
    if (seen.add(placed, lowestUnplaced(), highest, state, spent)) {
      trailMark[frames] = trailLength;
      cursor[frames] = events.end();
      unknownPass[frames] = false;
      frameState[frames] = state;
      frameHighest[frames] = highest;
      idleFrom[frames] = trailLength == mark ? before : NONE;
      frames++;
    }
    return false;
  }

  private void placeAllThatChangeNothing() {
    for (boolean again = true; again; ) {
      again = false;
      for (int e = events.after(events.end()); events.isCall(e); e = events.after(e)) {
        if (partition.known(e)
            && partition.changesNothing(e)
            && partition.after(state, e) != NONE) {
          place(e);
          again = true;
        }
      }
    }
  }

  private void placeAllUnnoticedBut(int choice) {
    for (boolean again = true; again; ) {
      again = false;
      for (int e = events.after(events.end()); events.isCall(e); e = events.after(e)) {
        if (e != choice && partition.unnoticed(e)) {
          place(e);
          again = true;
        }
      }
    }
  }

  private int lowestUnplaced() {
    for (int e = events.after(events.end()); ; e = events.after(e)) {
      if (events.isCall(e) && partition.known(e)) {
        return partition.rank(e);
      }
    }
  }

  private int nextChoice(int frame) {
    int choice = unknownPass[frame] ? NONE : nextChoice(frame, true);
    if (choice == NONE && !unknownPass[frame]) {
      unknownPass[frame] = true;
      cursor[frame] = events.end();
    }
    return choice == NONE ? nextChoice(frame, false) : choice;
  }

  private int nextChoice(int frame, boolean known) {
    for (int e = events.after(cursor[frame]); events.isCall(e); e = events.after(e)) {
      if (partition.known(e) == known && worthwhile(e, idleFrom[frame])) {
        cursor[frame] = e;
        return e;
      }
    }
    return NONE;
  }

  private boolean worthwhile(int operation, int idle) {
    int after = partition.after(state, operation);
    if (after == NONE || (partition.unnoticed(operation) && !firstUnnoticed(operation))) {
      return false;
    }
    if (!partition.known(operation)) {
      int twin = partition.twin(operation);
      if (after == state || (twin != NONE && !has(spent, partition.rank(twin)))) {
        return false;
      }
    }
    // The unknown operation that led here must make a difference: without it this one would have
    // led to the same state, and one more unknown operation would be left to use.
    return idle == NONE || partition.after(idle, operation) != after;
  }

  /**
   * Of those that nobody notices one is as good as the other as the next write, so one is tried.
   */
  private boolean firstUnnoticed(int operation) {
    int e = events.after(events.end());
    while (!partition.unnoticed(e)) {
      e = events.after(e);
    }
    return e == operation;
  }

  /** True if an operation without a place must see the state and none can bring it about again. */
  private boolean lost(int s) {
    return s < needed.length && needed[s] > 0 && producible[s] == 0 && producers == 0;
  }

  private void place(int operation) {
    events.lift(operation, partition.known(operation));
    trail[trailLength++] = operation;
    int rank = partition.rank(operation);
    if (partition.known(operation)) {
      placed[rank >>> 6] |= 1L << rank;
      highest = Math.max(highest, rank);
      unplaced--;
    } else {
      spent[rank >>> 6] |= 1L << rank;
    }
    count(operation, -1);
  }

  private void rewind(int frame) {
    while (trailLength > trailMark[frame]) {
      int operation = trail[--trailLength];
      events.drop(operation, partition.known(operation));
      int rank = partition.rank(operation);
      if (partition.known(operation)) {
        placed[rank >>> 6] &= ~(1L << rank);
        unplaced++;
      } else {
        spent[rank >>> 6] &= ~(1L << rank);
      }
      count(operation, 1);
    }
    state = frameState[frame];
    highest = frameHighest[frame];
  }

  private void count(int operation, int by) {
    if (partition.requires(operation) != NONE) {
      needed[partition.requires(operation)] += by;
    }
    if (partition.produces(operation) != NONE) {
      producible[partition.produces(operation)] += by;
    } else if (!partition.changesNothing(operation)) {
      producers += by;
    }
  }

  private static boolean has(long[] bits, int rank) {
    return (bits[rank >>> 6] & (1L << rank)) != 0;
  }
}
