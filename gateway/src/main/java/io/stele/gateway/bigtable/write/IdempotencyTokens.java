package io.stele.gateway.bigtable.write;

import com.google.bigtable.v2.Idempotency;
import com.google.protobuf.ByteString;
import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatch;
import io.stele.base.cell.RequestMark;
import io.stele.base.error.InvalidRequestException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Optional;

/**
 * Bigtable's idempotency tokens as marks of requests: a mutation with a token takes effect once,
 * however often a client sends it. The API does not say for how long; here it is ten minutes.
 */
final class IdempotencyTokens {
  private static final int SECONDS = 600;

  private IdempotencyTokens() {}

  /** The mark of a request that may have a token. */
  static Optional<RequestMark> mark(boolean present, Idempotency idempotency) {
    if (!present) {
      return Optional.empty();
    }
    ByteString token = idempotency.getToken();
    if (token.size() < RequestMark.SHORTEST_ID) {
      throw new InvalidRequestException(
          "idempotency token of %d bytes: must have at least %d"
              .formatted(token.size(), RequestMark.SHORTEST_ID));
    }
    byte[] id = token.size() > RequestMark.LONGEST_ID ? hash(token) : token.toByteArray();
    return Optional.of(new RequestMark(Bytes.wrap(id), SECONDS));
  }

  private static byte[] hash(ByteString token) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(token.toByteArray());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  static CellBatch marked(CellBatch cells, Optional<RequestMark> mark) {
    return mark.map(known -> known.mark(cells, Bytes.EMPTY)).orElse(cells);
  }
}
