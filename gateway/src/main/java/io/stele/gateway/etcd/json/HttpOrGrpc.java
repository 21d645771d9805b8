package io.stele.gateway.etcd.json;

import io.grpc.Grpc;
import io.grpc.netty.GrpcHttp2ConnectionHandler;
import io.grpc.netty.InternalProtocolNegotiationEvent;
import io.grpc.netty.InternalProtocolNegotiator;
import io.grpc.netty.InternalProtocolNegotiators;
import io.grpc.netty.ProtocolNegotiationEvent;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.handler.timeout.IdleStateHandler;
import io.netty.util.AsciiString;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * Tells by the first bytes of a connection whether it speaks HTTP/2, which is gRPC's, or HTTP/1.1,
 * which is JSON's: those of HTTP/2 are fixed and begin with a word that is no method of HTTP/1.1.
 */
public final class HttpOrGrpc implements InternalProtocolNegotiator.ProtocolNegotiator {
  private static final int MAX_BODY_BYTES = 4 << 20;
  private static final AsciiString HTTPS = AsciiString.of("https");

  private final InternalProtocolNegotiator.ProtocolNegotiator plain =
      InternalProtocolNegotiators.serverPlaintext();
  private final Supplier<ChannelHandler> json;
  private final Optional<SslContext> tls;
  private final Duration patience;
  private final Duration idle;

  /**
   * For a server.
   *
   * @param json makes what answers the requests of one connection
   * @param tls if connections are secured
   * @param patience after which a connection is closed that has not begun to speak either
   * @param idle after which an HTTP/1.1 connection gets an {@code IdleStateEvent} if nothing came
   */
  public HttpOrGrpc(
      Supplier<ChannelHandler> json, Optional<SslContext> tls, Duration patience, Duration idle) {
    this.json = json;
    this.tls = tls;
    this.patience = patience;
    this.idle = idle;
  }

  @Override
  public AsciiString scheme() {
    return tls.isPresent() ? HTTPS : plain.scheme();
  }

  @Override
  public ChannelHandler newHandler(GrpcHttp2ConnectionHandler grpc) {
    return new FirstBytes(plain.newHandler(grpc), json, tls, patience, idle);
  }

  @Override
  public void close() {
    plain.close();
  }

  /** Stands in front of a new connection until its first bytes have come. */
  private static final class FirstBytes extends ByteToMessageDecoder {
    private static final byte[] PREFACE =
        ByteBufUtil.getBytes(Http2CodecUtil.connectionPrefaceBuf());

    /**
     * A client of HTTP/2 sends a frame with its settings at once: until then it has said nothing.
     */
    private static final int FRAME_HEADER = 9;

    private final ChannelHandler grpc;
    private final Supplier<ChannelHandler> json;
    private final Duration time;
    private final Duration idle;
    private @Nullable ScheduledFuture<?> patience;
    private final Optional<SslContext> tls;
    private @Nullable ProtocolNegotiationEvent begin; // with which gRPC's handlers begin

    FirstBytes(
        ChannelHandler grpc,
        Supplier<ChannelHandler> json,
        Optional<SslContext> tls,
        Duration time,
        Duration idle) {
      this.time = time;
      this.idle = idle;
      this.grpc = grpc;
      this.json = json;
      this.tls = tls;
    }

    /** A client that connects and says nothing is disconnected. */
    @Override
    public void handlerAdded(ChannelHandlerContext context) {
      tls.ifPresent(
          secure ->
              context
                  .pipeline()
                  .addBefore(context.name(), null, secure.newHandler(context.alloc())));
      patience =
          context
              .executor()
              .schedule(
                  () -> {
                    var _ = context.close();
                  },
                  time.toMillis(),
                  TimeUnit.MILLISECONDS);
    }

    @Override
    protected void handlerRemoved0(ChannelHandlerContext context) {
      if (patience != null) {
        patience.cancel(false);
      }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) throws Exception {
      switch (event) {
        case ProtocolNegotiationEvent first -> begin = first;
        case SslHandshakeCompletionEvent handshake when !handshake.isSuccess() -> {
          var _ = context.close();
        }
        case SslHandshakeCompletionEvent _ -> {}
        default -> super.userEventTriggered(context, event);
      }
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
      int seen = Math.min(PREFACE.length, in.readableBytes());
      for (int i = 0; i < seen; i++) {
        if (in.getByte(in.readerIndex() + i) != PREFACE[i]) {
          speakHttp(context.pipeline());
          return;
        }
      }
      if (in.readableBytes() >= PREFACE.length + FRAME_HEADER) {
        speakGrpc(context);
      }
    }

    /** What has been read goes on to who comes next as soon as this handler is gone. */
    private void speakGrpc(ChannelHandlerContext context) {
      ChannelPipeline pipeline = context.pipeline();
      pipeline.addAfter(context.name(), null, grpc);
      ProtocolNegotiationEvent event = begin;
      if (event != null) {
        SslHandler secure = pipeline.get(SslHandler.class);
        context.fireUserEventTriggered(
            secure == null ? event : secured(event, secure.engine().getSession()));
      }
      pipeline.remove(this);
    }

    /** With what services ask of a secured connection. */
    private static ProtocolNegotiationEvent secured(
        ProtocolNegotiationEvent event, SSLSession session) {
      return InternalProtocolNegotiationEvent.withAttributes(
          event,
          InternalProtocolNegotiationEvent.getAttributes(event).toBuilder()
              .set(Grpc.TRANSPORT_ATTR_SSL_SESSION, session)
              .build());
    }

    private void speakHttp(ChannelPipeline pipeline) {
      while (pipeline.last() != this) {
        pipeline.removeLast(); // gRPC's own, which waits for what will not come
      }
      pipeline.addLast(
          new IdleStateHandler(idle.toMillis(), 0, 0, TimeUnit.MILLISECONDS),
          new HttpServerCodec(),
          new HttpObjectAggregator(MAX_BODY_BYTES),
          json.get());
      pipeline.remove(this);
    }
  }
}
