package io.stele.metastore.txn;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.settings.About;
import io.stele.base.settings.ByteSize;
import java.time.Duration;

/** How large interactive transactions may grow, and how long they may take. */
public record TransactionSettings(
    @About("How long an interactive transaction may last before it is ended") Duration life,
    @About("How many ranges an interactive transaction may read") int readRanges,
    @About("How many writes an interactive transaction may commit") int writes,
    @About("How large the keys and values of a commit may be together") ByteSize bytes,
    @About("How many interactive transactions may be open at a time") int open) {
  public static final TransactionSettings DEFAULT =
      new TransactionSettings(Duration.ofSeconds(10), 10, 100, ByteSize.ofMiB(1), 10_000);

  public TransactionSettings {
    if (life.isNegative() || life.isZero()) {
      throw new InvalidRequestException(
          "life of transactions of " + life + ": must be more than nothing");
    }
    if (readRanges < 1 || writes < 1 || bytes.bytes() < 1 || open < 1) {
      throw new InvalidRequestException(
          "transactions of "
              + readRanges
              + " ranges, "
              + writes
              + " writes, "
              + bytes
              + ", "
              + open
              + " at a time: each must be at least 1");
    }
  }
}
