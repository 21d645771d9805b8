package io.stele.base.tls;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** A socket as it is. */
public record PlainChannel(SocketChannel socket) implements BlockingChannel {
  @Override
  public int read(ByteBuffer target) throws IOException {
    return socket.read(target);
  }

  @Override
  public int write(ByteBuffer source) throws IOException {
    return socket.write(source);
  }

  @Override
  public int poll(ByteBuffer target) throws IOException {
    socket.configureBlocking(false);
    int read = socket.read(target);
    socket.configureBlocking(true);
    return read;
  }

  @Override
  public void endOutput() throws IOException {
    socket.shutdownOutput();
  }

  @Override
  public boolean isOpen() {
    return socket.isOpen();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
