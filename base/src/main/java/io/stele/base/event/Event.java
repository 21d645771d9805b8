package io.stele.base.event;

import java.util.Optional;

/**
 * A change of state that somebody may want to know of; implemented by records.
 *
 * <pre>{@code
 * record FragmentFlushed(FilePath file, ByteSize size) implements Event {
 *   public Level level() { return Level.INFO; }
 *   public String text() { return "flushed " + file + ", " + size; }
 * }
 * }</pre>
 */
public interface Event {
  /** How much an event matters, and to whom. */
  enum Level {
    /** To somebody who looks for a fault. */
    DEBUG,
    /** To an operator, on a good day. */
    INFO,
    /** To an operator: it works, but not as it should. */
    WARN,
    /** To an operator, now. */
    ERROR
  }

  Level level();

  /** What happened, in a line for people. */
  String text();

  /** An exception whose stack trace the log should have; none where the line says it all. */
  default Optional<Throwable> trace() {
    return Optional.empty();
  }
}
