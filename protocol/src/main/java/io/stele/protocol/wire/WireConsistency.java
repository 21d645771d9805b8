package io.stele.protocol.wire;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.table.Consistency;
import io.stele.base.table.Consistency.Acks;
import io.stele.base.table.Consistency.Reads;
import io.stele.protocol.v1.TableConsistency;

/** Levels of consistency on the wire. */
public final class WireConsistency {
  private WireConsistency() {}

  public static TableConsistency toWire(Consistency consistency) {
    return TableConsistency.newBuilder()
        .setAcks(
            switch (consistency.acks()) {
              case ONE -> TableConsistency.Acks.ACKS_ONE;
              case MAJORITY -> TableConsistency.Acks.ACKS_MAJORITY;
              case ALL -> TableConsistency.Acks.ACKS_ALL;
            })
        .setReads(
            switch (consistency.reads()) {
              case ONE -> TableConsistency.Reads.READS_ONE;
              case MAJORITY -> TableConsistency.Reads.READS_MAJORITY;
            })
        .build();
  }

  public static Consistency consistency(TableConsistency wire) {
    Acks acks =
        switch (wire.getAcks()) {
          case ACKS_DEFAULT -> Consistency.DEFAULT.acks();
          case ACKS_ONE -> Acks.ONE;
          case ACKS_MAJORITY -> Acks.MAJORITY;
          case ACKS_ALL -> Acks.ALL;
          case UNRECOGNIZED -> throw unknown("acknowledgements", wire.getAcksValue());
        };
    Reads reads =
        switch (wire.getReads()) {
          case READS_DEFAULT -> Consistency.DEFAULT.reads();
          case READS_ONE -> Reads.ONE;
          case READS_MAJORITY -> Reads.MAJORITY;
          case UNRECOGNIZED -> throw unknown("reads", wire.getReadsValue());
        };
    return new Consistency(acks, reads);
  }

  private static InvalidRequestException unknown(String what, int level) {
    return new InvalidRequestException(
        "level " + level + " of " + what + ", which this server does not know");
  }
}
