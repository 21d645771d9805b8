package io.stele.metastore.session;

import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.ByteReader;
import io.stele.base.bytes.ByteReader.Malformed;
import io.stele.base.bytes.Bytes;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.AnswerCodec;

/**
 * The answer to a request, kept in case the request comes again. Those of a session have {@link
 * io.stele.metastore.command.Origin#WINDOW} places, and each takes the place of one that is a
 * window older: what is not in its place any more was answered long ago.
 *
 * <pre>
 *   kept := sequence(varint) answer                          (AnswerCodec)
 * </pre>
 */
public record KeptAnswer(long sequence, Answer answer) {
  /** Longer answers are not kept: a repeated request then hears that it was done, and no more. */
  public static final int MAX_BYTES = 64 << 10;

  public Bytes encode() {
    ByteBuilder out = new ByteBuilder(48);
    out.putVarint(sequence);
    int start = out.length();
    AnswerCodec.write(out, answer);
    if (out.length() - start > MAX_BYTES) {
      int bytes = out.length() - start;
      out.setLength(start);
      AnswerCodec.write(out, tooLong(bytes));
    }
    return out.toBytes();
  }

  private Answer tooLong(int bytes) {
    String when = answer instanceof Answer.Transacted done ? " at revision " + done.revision() : "";
    return new Answer.Refused(
        Answer.Kind.UNKNOWN,
        "request "
            + sequence
            + " was done"
            + when
            + "; its answer of "
            + bytes
            + " bytes was too long to be kept");
  }

  public static KeptAnswer decode(Bytes stored) throws Malformed {
    ByteReader in = new ByteReader(stored.sharedArray(), 0, stored.length());
    return new KeptAnswer(in.readVarint(), AnswerCodec.read(in));
  }

  /** The sequence alone. */
  public static long sequenceOf(byte[] array, int offset, int length) throws Malformed {
    return new ByteReader(array, offset, length).readVarint();
  }
}
