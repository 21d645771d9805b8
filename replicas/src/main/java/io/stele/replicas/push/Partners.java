package io.stele.replicas.push;

import io.stele.replicas.metadata.Metadata;
import io.stele.replicas.metadata.MetadataChange;
import java.util.Optional;

/** What replicas need of the rest of their server. */
public interface Partners {
  /** The id of this server. */
  String self();

  /** A server, this one included; none if it does not live as far as is known. */
  Optional<ReplicaPeer> peer(String server);

  /** Looks, soon and on another thread, for METADATA newer than a sequence. */
  void refresh(String table, long behind);

  /**
   * The METADATA that is valid now, for certain.
   *
   * @throws io.stele.base.error.UnavailableException if that cannot be told
   */
  Metadata valid(String table);

  /**
   * Has the replicas of a table follow what is valid now, for certain: schema and METADATA.
   *
   * @throws io.stele.base.error.UnavailableException if that cannot be told
   */
  void followNow(String table);

  /**
   * Changes METADATA, unless it is no longer what it is thought to be.
   *
   * @return what is valid then: it shows whether the change was made
   */
  Metadata change(String table, Metadata base, MetadataChange.Operation operation);
}
