package io.stele.base.dataset;

import io.stele.base.bytes.Bytes;
import java.util.List;
import java.util.Optional;

/**
 * Datasets: maps of keys to values that somebody else makes as a whole, version by version, and
 * that are looked up here. Any node answers for all shards of all datasets.
 *
 * <pre>{@code
 * switch (datasets.get("scores", Bytes.utf8("alice"))) {
 *   case Lookup.Found found -> use(found.value(), found.origin().version());
 *   case Lookup.Missing missing -> none();
 *   case Lookup.Failed failed -> later(failed.reason());
 * }
 * }</pre>
 *
 * <p>A lookup comes from one version, that which the node serves to clients, and a node never goes
 * back to an older one but by {@link #pin} and {@link #rollback}. A dataset of which nothing is
 * served is a {@link io.stele.base.error.NotFoundException}. Any number of threads may call.
 */
public interface Datasets {
  /** The names of all datasets that have a version that is served, or is being made ready. */
  List<String> list();

  /** Looks up one key. */
  Lookup get(String dataset, Bytes key);

  /** Looks up keys in one and the same version; the answers are in the order of the keys. */
  List<Lookup> mget(String dataset, List<Bytes> keys);

  /** All datasets as all nodes that answer see them. */
  List<DatasetStatus> status();

  /** One dataset as all nodes that answer see it. */
  DatasetStatus status(String dataset);

  /**
   * Looks for datasets and versions in the source now, and not only when it is time to; returns
   * when that is done, not when what was found is loaded. What was given up is tried again.
   */
  void refresh();

  /**
   * Keeps a dataset at a version, be it older or newer than the one that is served, until {@link
   * #unpin}. Returns when that is recorded; nodes follow when the version is complete.
   */
  void pin(String dataset, String version);

  /** Lets a dataset follow its newest version again. */
  void unpin(String dataset);

  /**
   * Pins a dataset to the newest version before the one that is served.
   *
   * @return that version
   */
  String rollback(String dataset);

  /** The version that a dataset is pinned to. */
  Optional<String> pinned(String dataset);
}
