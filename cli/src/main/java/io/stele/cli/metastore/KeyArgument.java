package io.stele.cli.metastore;

import io.stele.base.error.InvalidRequestException;
import io.stele.client.metastore.Keys;

/** What can be told of a key before a server is asked. */
final class KeyArgument {

  private KeyArgument() {}

  /** The key, if it begins as all keys do; the server knows the other rules. */
  static String check(String key) {
    if (!key.startsWith("/")) {
      throw new InvalidRequestException(
          "key '" + key + "': must be an absolute path, such as /" + key);
    }
    return key;
  }

  /** The one key, or all that start with it. */
  static Keys keys(String key, boolean prefix) {
    return prefix ? Keys.prefix(key) : Keys.of(key);
  }
}
