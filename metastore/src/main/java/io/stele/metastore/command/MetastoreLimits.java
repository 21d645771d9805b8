package io.stele.metastore.command;

import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.ByteReader;
import io.stele.base.bytes.ByteReader.Malformed;
import io.stele.base.error.InvalidRequestException;
import io.stele.metastore.key.PathKey;

/**
 * What one command may ask for. They decide what is applied, so from {@link ClusterVersion} 2 on
 * they are part of the replicated state: those of the leader's settings hold on every member.
 *
 * <pre>
 *   limits := list of number, in the order of the fields      (forms: FieldCodec)
 * </pre>
 *
 * @param operations of a transaction, comparisons and both cases together
 * @param transactionBytes of all keys and values of a transaction together
 * @param keyBytes of a key
 * @param valueBytes of a value
 * @param changedKeys by one transaction
 * @param ephemeralKeys of a session
 * @param leasedKeys of a lease
 * @param waitingRequests of a lock
 * @param answerBytes of an answer, roughly: a range is cut there
 */
public record MetastoreLimits(
    int operations,
    int transactionBytes,
    int keyBytes,
    int valueBytes,
    int changedKeys,
    int ephemeralKeys,
    int leasedKeys,
    int waitingRequests,
    int answerBytes) {
  private static final int LEASED_KEYS = 100_000;
  private static final int FIELDS = 9;

  public static final MetastoreLimits DEFAULT =
      new MetastoreLimits(128, 1 << 20, PathKey.MAX_BYTES, 1 << 20, 10_000, 10_000, 4_096, 4 << 20);

  /** With the usual bound of the keys of a lease. */
  public MetastoreLimits(
      int operations,
      int transactionBytes,
      int keyBytes,
      int valueBytes,
      int changedKeys,
      int ephemeralKeys,
      int waitingRequests,
      int answerBytes) {
    this(
        operations,
        transactionBytes,
        keyBytes,
        valueBytes,
        changedKeys,
        ephemeralKeys,
        LEASED_KEYS,
        waitingRequests,
        answerBytes);
  }

  public MetastoreLimits {
    check("operations", operations);
    check("transaction bytes", transactionBytes);
    check("key bytes", keyBytes);
    check("value bytes", valueBytes);
    check("changed keys", changedKeys);
    check("ephemeral keys", ephemeralKeys);
    check("leased keys", leasedKeys);
    check("waiting requests", waitingRequests);
    check("answer bytes", answerBytes);
    if (keyBytes > PathKey.MAX_BYTES) {
      throw new InvalidRequestException(
          "limit of " + keyBytes + " key bytes: at most " + PathKey.MAX_BYTES);
    }
  }

  void write(ByteBuilder out) {
    int[] fields = {
      operations,
      transactionBytes,
      keyBytes,
      valueBytes,
      changedKeys,
      ephemeralKeys,
      leasedKeys,
      waitingRequests,
      answerBytes
    };
    out.putVarint(fields.length);
    for (int field : fields) {
      out.putVarint(field);
    }
  }

  static MetastoreLimits read(ByteReader in) throws Malformed {
    int count = in.readVarint(FIELDS, "limits");
    if (count != FIELDS) {
      throw in.malformed(count + " limits instead of " + FIELDS);
    }
    int[] fields = new int[FIELDS];
    for (int i = 0; i < FIELDS; i++) {
      fields[i] = in.readVarint(Integer.MAX_VALUE, "limit");
    }
    try {
      return new MetastoreLimits(
          fields[0], fields[1], fields[2], fields[3], fields[4], fields[5], fields[6], fields[7],
          fields[8]);
    } catch (InvalidRequestException e) {
      throw in.malformed(e.getMessage() + ", before");
    }
  }

  private static void check(String what, int value) {
    if (value < 1) {
      throw new InvalidRequestException("limit of " + value + " " + what + ": at least 1");
    }
  }
}
