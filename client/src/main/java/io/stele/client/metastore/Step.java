package io.stele.client.metastore;

import io.stele.base.bytes.Bytes;

/** A step of a transaction. A step sees what the steps before it did. */
public sealed interface Step {
  /**
   * Sets a key.
   *
   * @param session whose end is to delete the key; 0 for none
   * @param previous whether to answer what was there before
   */
  record Put(String key, Bytes value, long session, boolean previous) implements Step {
    /** The key is deleted when the session ends. */
    public Put owned(Session owner) {
      return new Put(key, value, owner.id(), previous);
    }

    public Put answeringPrevious() {
      return new Put(key, value, session, true);
    }
  }

  /** Deletes keys; that there are none is no error. */
  record Delete(Keys keys, boolean previous) implements Step {
    public Delete answeringPrevious() {
      return new Delete(keys, true);
    }
  }

  /**
   * Reads keys.
   *
   * @param limit the most keys to answer; 0 for the server's own limit
   */
  record Get(Keys keys, int limit) implements Step {}

  static Put put(String key, String value) {
    return put(key, Bytes.utf8(value));
  }

  static Put put(String key, Bytes value) {
    return new Put(key, value, 0, false);
  }

  static Delete delete(String key) {
    return delete(Keys.of(key));
  }

  static Delete delete(Keys keys) {
    return new Delete(keys, false);
  }

  static Get get(String key) {
    return get(Keys.of(key));
  }

  static Get get(Keys keys) {
    return new Get(keys, 0);
  }
}
