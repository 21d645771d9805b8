package io.stele.testkit.history;

import java.util.Optional;

/** The answer to a {@link RegisterCall}. */
public sealed interface RegisterResult {
  RegisterResult DONE = new Done();
  RegisterResult UNEQUAL = new Unequal();

  /** Of a put, a delete, or a compare-and-set that took place. */
  record Done() implements RegisterResult {
    @Override
    public String toString() {
      return "done";
    }
  }

  /** Of a get; and of a compare-and-set that did not take place, if it tells what it found. */
  record Found(Optional<String> value) implements RegisterResult {
    @Override
    public String toString() {
      return value.map(text -> "found " + text).orElse("absent");
    }
  }

  /** Of a compare-and-set that did not take place and does not tell what it found. */
  record Unequal() implements RegisterResult {
    @Override
    public String toString() {
      return "unequal";
    }
  }

  static RegisterResult found(String value) {
    return new Found(Optional.of(value));
  }

  static RegisterResult absent() {
    return new Found(Optional.empty());
  }
}
