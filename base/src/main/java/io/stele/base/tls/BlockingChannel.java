package io.stele.base.tls;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;

/** A connection that blocks, secured or not. */
public interface BlockingChannel extends ByteChannel {
  /**
   * Reads what is there without waiting.
   *
   * @return bytes read: 0 if nothing has come, -1 at the end
   */
  int poll(ByteBuffer target) throws IOException;

  /** Tells the other side that nothing more comes; reading goes on. */
  void endOutput() throws IOException;
}
