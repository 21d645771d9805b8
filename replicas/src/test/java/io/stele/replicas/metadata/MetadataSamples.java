package io.stele.replicas.metadata;

import io.stele.base.bytes.Bytes;
import java.util.List;
import java.util.Optional;

/** Changes that tests make. */
final class MetadataSamples {
  private MetadataSamples() {}

  static Assignment on(String server, String id) {
    return new Assignment(server, id);
  }

  static Partition.Split split(String at, String name, String... servers) {
    return new Partition.Split(
        Bytes.utf8(at), half(name + "-low", servers), half(name + "-up", servers));
  }

  private static Partition.Half half(String id, String... servers) {
    return new Partition.Half(
        id, List.of(servers).stream().map(each -> on(each, id + "-" + each)).toList());
  }

  /** Another server joins the first partition. */
  static MetadataChange join(Metadata base, String txn, String server) {
    return new MetadataChange(
        base.txn(),
        txn,
        new MetadataChange.Join(
            base.partitions().getFirst().id(), on(server, txn + "-" + server), Optional.empty()));
  }

  /** The first partition begins to be split. */
  static MetadataChange beginSplit(Metadata base, String txn, String at, String... servers) {
    return new MetadataChange(
        base.txn(),
        txn,
        new MetadataChange.BeginSplit(base.partitions().getFirst().id(), split(at, txn, servers)));
  }
}
