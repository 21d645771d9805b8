package io.stele.protocol.wire;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.stele.base.tls.BlockingChannel;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * The row protocol, from one side of a connection: operations on rows for threads that wait for
 * each answer. It has its own port beside gRPC's, since a message through gRPC wakes four threads
 * before its answer is there, and a message here none but the two that speak.
 *
 * <pre>
 *   client := "SRP1" request*
 *   server := (answer+)* end?
 *   request, answer := length(4, big endian, above 0) message
 *   end    := 0(4)
 * </pre>
 *
 * A request is an {@code ExchangeRequest}. The {@code ExchangeResponse}s to it answer each of its
 * operations once, by id, in any order; the client sends the next request when all are answered.
 * {@code end} says that the server has done nothing but what it has answered: a request that
 * crosses it may be sent elsewhere.
 *
 * <p>Threads: one at a time, but for {@link #close}, which any may call, and which has the one that
 * waits fail.
 */
public final class RowFrames implements AutoCloseable {
  /** Larger requests go by gRPC, which bounds the memory that they take together. */
  public static final int MOST_REQUEST_BYTES = 256 << 10;

  /** Of an answer: a page of cells, and what is around it. */
  public static final int MOST_ANSWER_BYTES = WireLimits.MAX_READ_BYTES + (1 << 20);

  private static final byte[] HELLO = {'S', 'R', 'P', '1'};
  private static final int HEAD_BYTES = 4;
  private static final int BUFFER_BYTES = 16 << 10;

  private final BlockingChannel channel;
  private final int mostIncoming;
  private final ByteBuffer out = ByteBuffer.allocateDirect(BUFFER_BYTES);
  private final ByteBuffer in = ByteBuffer.allocateDirect(BUFFER_BYTES).limit(0);

  /**
   * Over a connection; closed with it.
   *
   * @param mostIncoming bytes of a message that comes
   */
  public RowFrames(BlockingChannel channel, int mostIncoming) {
    this.channel = channel;
    this.mostIncoming = mostIncoming;
  }

  /** Sent by a client before all else. */
  public void greet() throws IOException {
    out.clear().put(HELLO);
    flush();
  }

  /** Reads a client's greeting; false if it is somebody else's protocol. */
  public boolean isGreeted() throws IOException {
    if (!fill(HELLO.length)) {
      return false;
    }
    boolean greeted = true;
    for (byte expected : HELLO) {
      greeted &= in.get() == expected;
    }
    return greeted;
  }

  /** Sends a message. */
  public void write(MessageLite message) throws IOException {
    int length = message.getSerializedSize();
    out.clear().putInt(length);
    if (length <= out.remaining()) {
      CodedOutputStream to = CodedOutputStream.newInstance(out);
      message.writeTo(to);
      to.flush();
      out.position(HEAD_BYTES + length);
      flush();
      return;
    }
    byte[] large = message.toByteArray();
    for (int from = 0; from < length; ) {
      int count = Math.min(length - from, out.remaining());
      out.put(large, from, count);
      from += count;
      flush();
      out.clear();
    }
  }

  /** Sent by a server that takes no more requests. */
  public void writeEnd() throws IOException {
    out.clear().putInt(0);
    flush();
    channel.endOutput();
  }

  private void flush() throws IOException {
    out.flip();
    while (out.hasRemaining()) {
      channel.write(out);
    }
  }

  /**
   * Waits for a message.
   *
   * @return nothing at the end that the other side announced
   * @throws EOFException if the other side ended without a word
   */
  public <M> Optional<M> read(Parser<M> parser) throws IOException {
    if (!fill(HEAD_BYTES)) {
      throw new EOFException("the connection ended");
    }
    int length = in.getInt();
    if (length == 0) {
      return Optional.empty();
    }
    if (length < 0 || length > mostIncoming) {
      throw new IOException(
          "a message of %d bytes: must be 1 to %d".formatted(length, mostIncoming));
    }
    byte[] message = new byte[length];
    for (int at = 0; at < length; ) {
      if (!fill(1)) {
        throw new EOFException("the connection ended within a message");
      }
      int count = Math.min(length - at, in.remaining());
      in.get(message, at, count);
      at += count;
    }
    try {
      return Optional.of(parser.parseFrom(message));
    } catch (InvalidProtocolBufferException e) {
      throw new IOException("a message that cannot be read: " + e.getMessage(), e);
    }
  }

  /** Reads until so many bytes are there, a few at most; false at the end of the connection. */
  private boolean fill(int bytes) throws IOException {
    if (in.remaining() >= bytes) {
      return true;
    }
    in.compact();
    try {
      while (in.position() < bytes) {
        if (channel.read(in) < 0) {
          return false;
        }
      }
    } finally {
      in.flip();
    }
    return true;
  }

  /** Whether the other side has ended, or said something that nobody asked for. Does not wait. */
  public boolean isStale() {
    if (in.hasRemaining()) {
      return true;
    }
    try {
      in.clear();
      int read = channel.poll(in);
      in.flip();
      return read != 0;
    } catch (IOException e) {
      return true;
    }
  }

  /** Reads and drops what still comes, until the other side ends. */
  public void drain() throws IOException {
    in.clear();
    while (channel.read(in) >= 0) {
      in.clear();
    }
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      // It is of no use any more, closed or not.
    }
  }
}
