package io.stele.testkit.history;

import java.util.Optional;

/** A call on one key of a key-value store. */
public sealed interface RegisterCall {
  String key();

  record Get(String key) implements RegisterCall {
    @Override
    public String toString() {
      return "get " + key;
    }
  }

  record Put(String key, String value) implements RegisterCall {
    @Override
    public String toString() {
      return "put " + key + " = " + value;
    }
  }

  record Delete(String key) implements RegisterCall {
    @Override
    public String toString() {
      return "delete " + key;
    }
  }

  /** If the key holds {@code expected}, let it hold {@code replacement}; empty is absence. */
  record CompareAndSet(String key, Optional<String> expected, Optional<String> replacement)
      implements RegisterCall {
    @Override
    public String toString() {
      return "compare and set "
          + key
          + ": "
          + expected.orElse("(absent)")
          + " -> "
          + replacement.orElse("(absent)");
    }
  }
}
