package io.stele.base.file;

import java.nio.ByteBuffer;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * Direct buffers for local writers, kept for reuse.
 *
 * <p>Writing an array to a channel would make the JDK copy it into a hidden direct buffer of the
 * array's size and keep that with the thread; and a direct buffer of one's own is freed only when
 * the collector happens to find it. A few of fixed size, handed on from file to file, avoid both.
 */
final class WriteBuffers {
  static final int BUFFER_BYTES = 256 << 10;
  private static final int KEPT = 16;

  private static final ByteBuffer ZEROS =
      ByteBuffer.allocateDirect(BUFFER_BYTES).asReadOnlyBuffer();

  private final BlockingQueue<ByteBuffer> idle = new ArrayBlockingQueue<>(KEPT);

  ByteBuffer take() {
    ByteBuffer buffer = idle.poll();
    return buffer == null ? ByteBuffer.allocateDirect(BUFFER_BYTES) : buffer.clear();
  }

  void giveBack(ByteBuffer buffer) {
    // Where enough are kept already, it is left to the collector.
    idle.offer(buffer);
  }

  /** At most {@link #BUFFER_BYTES} zero bytes. */
  static ByteBuffer zeros(long count) {
    return ZEROS.duplicate().limit((int) Math.min(count, BUFFER_BYTES));
  }
}
