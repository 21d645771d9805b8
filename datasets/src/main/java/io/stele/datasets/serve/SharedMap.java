package io.stele.datasets.serve;

import io.stele.base.event.Subscription;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What the nodes of a cluster know of each other. There are two operations, and neither is ever on
 * the way of a lookup: to publish a key that lives as long as this process, and to list a
 * directory's children and keep that list up to date.
 *
 * <p>Lists may be stale by any time; nobody relies on more than that they were true once. Keys are
 * relative, without a leading slash ({@code nodes/10.0.0.1:9599}); the implementation puts them
 * under {@code /stele/datasets/<cluster>/v1/}. None of the calls blocks on a network.
 */
public interface SharedMap {
  /**
   * Publishes an ephemeral key as soon as that is possible, and again whenever it was lost (with
   * the session, or because somebody wiped the directory), until it is closed.
   *
   * @param value what others read with it at first
   */
  Published publish(String key, String value);

  /** The same for a key that says all by being there. */
  default Published publish(String key) {
    return publish(key, "");
  }

  /** A key of this node. */
  interface Published extends Subscription {
    /**
     * Has others read something else with it, as soon as that is possible. Of several values in
     * quick succession they may see the last one only.
     */
    void set(String value);
  }

  /**
   * Mirrors the direct children of a directory.
   *
   * @param changed called after each change, and when the first list is there; from any thread, and
   *     returns at once
   */
  Children watch(String directory, Runnable changed);

  /** A directory's children as last heard of. */
  interface Children extends AutoCloseable {
    /** Values by name, without the directory; nothing as long as no list has ever been seen. */
    Optional<Map<String, String>> entries();

    /** Their names alone. */
    default Optional<Set<String>> names() {
      return entries().map(Map::keySet);
    }

    @Override
    void close();
  }
}
