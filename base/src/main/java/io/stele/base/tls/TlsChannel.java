package io.stele.base.tls;

import io.stele.base.time.Clock;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSession;

/**
 * A secured connection over a socket that blocks. The thread that reads decrypts, and the thread
 * that writes encrypts; nobody else is woken.
 *
 * <p>The handshake comes first. Then one thread at a time may read. Another may write, and any may
 * close, which has the one that waits fail.
 */
public final class TlsChannel implements BlockingChannel {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final SocketChannel socket;
  private final SSLEngine engine;
  private final ByteBuffer incoming; // encrypted, from position to limit; of the thread that reads
  private final ByteBuffer opened; // decrypted and not taken yet; of the thread that reads
  private final ByteBuffer outgoing; // guarded by this

  private TlsChannel(SocketChannel socket, SSLEngine engine) {
    this.socket = socket;
    this.engine = engine;
    int packet = engine.getSession().getPacketBufferSize();
    this.incoming = ByteBuffer.allocateDirect(packet).limit(0);
    this.outgoing = ByteBuffer.allocateDirect(packet);
    this.opened = ByteBuffer.allocate(engine.getSession().getApplicationBufferSize()).limit(0);
  }

  /**
   * A client's side of a connection.
   *
   * @param host that the certificate of the other side must name
   */
  public static TlsChannel client(SocketChannel socket, SSLContext context, String host) {
    SSLEngine engine = context.createSSLEngine(host, socket.socket().getPort());
    engine.setUseClientMode(true);
    SSLParameters parameters = engine.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS"); // compares the host
    engine.setSSLParameters(parameters);
    return new TlsChannel(socket, engine);
  }

  /**
   * A server's side of a connection.
   *
   * @param clients whether clients are asked for a certificate, and must have one
   */
  public static TlsChannel server(
      SocketChannel socket, SSLContext context, ClientCertificates clients) {
    SSLEngine engine = context.createSSLEngine();
    engine.setUseClientMode(false);
    switch (clients) {
      case REQUIRED -> engine.setNeedClientAuth(true);
      case OPTIONAL -> engine.setWantClientAuth(true);
      case NONE -> {}
    }
    return new TlsChannel(socket, engine);
  }

  /** Of the connection, with what the other side has shown. */
  public SSLSession session() {
    return engine.getSession();
  }

  /**
   * Has both sides prove who they are; must come before all else.
   *
   * @param patience until when it must be over
   */
  public void handshake(Duration patience, Clock clock) throws IOException {
    long deadline = clock.nanos() + patience.toNanos();
    try {
      engine.beginHandshake();
      while (true) {
        switch (engine.getHandshakeStatus()) {
          case NEED_WRAP -> wrap(NOTHING);
          case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> {
            if (unwrap() == SSLEngineResult.Status.BUFFER_UNDERFLOW) {
              receive(deadline - clock.nanos());
            }
          }
          case NEED_TASK -> runTasks();
          case FINISHED, NOT_HANDSHAKING -> {
            return;
          }
        }
      }
    } catch (SSLException e) {
      sayWhy();
      throw e;
    }
  }

  /** The engine has an alert for the other side, which learns from it what was wrong. */
  private void sayWhy() {
    try {
      while (engine.getHandshakeStatus() == HandshakeStatus.NEED_WRAP && !engine.isOutboundDone()) {
        wrap(NOTHING);
      }
    } catch (IOException e) {
      // It has left already.
    }
  }

  private void runTasks() {
    for (Runnable task = engine.getDelegatedTask();
        task != null;
        task = engine.getDelegatedTask()) {
      task.run();
    }
  }

  /**
   * Waits for bytes of a handshake, of which a stranger may send one at a time. A channel has no
   * time-out of its own, but its socket's stream has.
   */
  private void receive(long nanos) throws IOException {
    int millis = (int) Math.min(Integer.MAX_VALUE, nanos / 1_000_000);
    if (millis <= 0) {
      throw new SocketTimeoutException("the handshake of TLS takes too long");
    }
    socket.socket().setSoTimeout(millis);
    incoming.compact();
    try {
      byte[] some = new byte[incoming.remaining()];
      InputStream in = socket.socket().getInputStream();
      int count = in.read(some);
      if (count < 0) {
        throw new EOFException("the connection ended during the handshake of TLS");
      }
      incoming.put(some, 0, count);
    } finally {
      incoming.flip();
    }
  }

  /** Decrypts the next record into what is opened, of which nothing may be left. */
  private SSLEngineResult.Status unwrap() throws IOException {
    opened.clear();
    SSLEngineResult result;
    try {
      result = engine.unwrap(incoming, opened);
    } finally {
      opened.flip();
    }
    switch (result.getHandshakeStatus()) {
      case NEED_TASK -> runTasks();
      case NEED_WRAP -> {
        if (result.getStatus() == SSLEngineResult.Status.OK) {
          wrap(NOTHING); // an answer of the protocol's own, such as to new keys
        }
      }
      case NEED_UNWRAP, NEED_UNWRAP_AGAIN, FINISHED, NOT_HANDSHAKING -> {}
    }
    return result.getStatus();
  }

  private synchronized void wrap(ByteBuffer source) throws IOException {
    do {
      outgoing.clear();
      SSLEngineResult result = engine.wrap(source, outgoing);
      outgoing.flip();
      while (outgoing.hasRemaining()) {
        socket.write(outgoing);
      }
      if (result.getStatus() != SSLEngineResult.Status.OK && source.hasRemaining()) {
        throw new ClosedChannelException();
      }
    } while (source.hasRemaining());
  }

  @Override
  public int read(ByteBuffer target) throws IOException {
    return read(target, true);
  }

  @Override
  public int poll(ByteBuffer target) throws IOException {
    socket.configureBlocking(false);
    int read = read(target, false);
    socket.configureBlocking(true);
    return read;
  }

  /** Records without content, such as tickets for later sessions, are taken on the way. */
  private int read(ByteBuffer target, boolean waits) throws IOException {
    while (!opened.hasRemaining()) {
      switch (unwrap()) {
        case OK -> {}
        case CLOSED -> {
          return -1;
        }
        case BUFFER_UNDERFLOW -> {
          incoming.compact();
          int read;
          try {
            read = socket.read(incoming);
          } finally {
            incoming.flip();
          }
          if (read < 0 || (read == 0 && !waits)) {
            return read;
          }
        }
        case BUFFER_OVERFLOW -> throw new SSLException("a record of TLS that is too large");
      }
    }
    int count = Math.min(opened.remaining(), target.remaining());
    target.put(opened.slice(opened.position(), count));
    opened.position(opened.position() + count);
    return count;
  }

  @Override
  public int write(ByteBuffer source) throws IOException {
    int count = source.remaining();
    if (count > 0) {
      wrap(source);
    }
    return count;
  }

  @Override
  public synchronized void endOutput() throws IOException {
    engine.closeOutbound();
    wrap(NOTHING);
    socket.shutdownOutput();
  }

  @Override
  public boolean isOpen() {
    return socket.isOpen();
  }

  /** Without a farewell: what is said over it has its own end. */
  @Override
  public void close() throws IOException {
    socket.close();
  }
}
