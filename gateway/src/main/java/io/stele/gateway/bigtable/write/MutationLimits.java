package io.stele.gateway.bigtable.write;

import com.google.protobuf.ByteString;
import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;

/** What a mutation may be, as the service has it. */
final class MutationLimits {
  static final int MAX_MUTATIONS = 100_000;
  static final int MAX_ROW_KEY = 4 << 10;
  static final int MAX_QUALIFIER = 16 << 10;
  static final long MILLI = 1_000;

  private static final long SERVER_TIME = -1;

  private MutationLimits() {}

  static void checkCount(long mutations) {
    if (mutations < 1 || mutations > MAX_MUTATIONS) {
      throw new InvalidRequestException(
          mutations + " mutations in one request: must be 1 to " + MAX_MUTATIONS);
    }
  }

  static Bytes row(ByteString key) {
    if (key.isEmpty() || key.size() > MAX_ROW_KEY) {
      throw new InvalidRequestException(
          "row key of " + key.size() + " bytes: must be 1 to " + MAX_ROW_KEY);
    }
    return Bytes.wrap(key.toByteArray());
  }

  static Bytes qualifier(ByteString qualifier) {
    if (qualifier.size() > MAX_QUALIFIER) {
      throw new InvalidRequestException(
          "column qualifier of " + qualifier.size() + " bytes: must be at most " + MAX_QUALIFIER);
    }
    return Bytes.wrap(qualifier.toByteArray());
  }

  static Bytes family(String family) {
    if (family.isEmpty()) {
      throw new InvalidRequestException("a mutation without family_name: must have one");
    }
    return Bytes.utf8(family);
  }

  /** Milliseconds as microseconds. */
  static long timestamp(long micros, long nowMicros) {
    return micros == SERVER_TIME ? millis(nowMicros) : checkTime(micros);
  }

  static long checkTime(long micros) {
    if (micros < 0 || micros % MILLI != 0) {
      throw new InvalidRequestException(
          "timestamp "
              + micros
              + " microseconds: must be whole milliseconds, or -1 for the server's time");
    }
    return micros;
  }

  static long millis(long micros) {
    return micros - Math.floorMod(micros, MILLI);
  }
}
