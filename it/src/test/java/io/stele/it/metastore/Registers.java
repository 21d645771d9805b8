package io.stele.it.metastore;

import io.stele.testkit.history.RegisterResult;
import java.util.Optional;

/** Single keys, by one of the interfaces to the metastore. */
interface Registers {
  Optional<String> get(String key);

  void put(String key, String value);

  void delete(String key);

  /**
   * Replaces a value if it is the expected one.
   *
   * @return {@link RegisterResult#DONE}, or what was found instead
   */
  RegisterResult compareAndSet(String key, Optional<String> expected, Optional<String> replacement);
}
