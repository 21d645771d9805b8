package io.stele.gateway.etcd.json;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.handler.timeout.IdleStateEvent;
import io.stele.gateway.web.WebGuard;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Answers the requests of one connection, one after the other: each becomes a call of the same
 * server's gRPC, so that there is one way to every service. A request that comes before the one
 * before it is answered waits, and nothing more is read meanwhile. Runs on the connection's own
 * thread.
 *
 * <p>{@link WebGuard} keeps web pages out. A connection on which no request is under way is closed
 * when an {@link IdleStateEvent} comes.
 */
public final class JsonHandler extends SimpleChannelInboundHandler<FullHttpRequest> {
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
  private static final JsonFormat.Parser PARSER = JsonFormat.parser().ignoringUnknownFields();

  private final Supplier<Channel> grpc;
  private final StatusPages pages;
  private final WebGuard guard;
  private final Deque<FullHttpRequest> waiting = new ArrayDeque<>(0);
  private boolean answering;
  private @Nullable ClientCall<?, ?> underWay;

  /**
   * For one connection.
   *
   * @param grpc the server's own
   */
  public JsonHandler(Supplier<Channel> grpc, StatusPages pages, WebGuard guard) {
    this.grpc = grpc;
    this.pages = pages;
    this.guard = guard;
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
    if (answering) {
      waiting.addLast(request.retain());
      context.channel().config().setAutoRead(false);
    } else {
      handle(context, request);
    }
  }

  private void handle(ChannelHandlerContext context, FullHttpRequest request) {
    answering = true;
    QueryStringDecoder uri = new QueryStringDecoder(request.uri());
    JsonResponse response =
        new JsonResponse(context, HttpUtil.isKeepAlive(request), () -> answered(context));
    Optional<MethodDescriptor<?, ?>> method = JsonRoutes.find(uri.path());
    Optional<WebGuard.Refusal> refusal = guard.refusal(name -> request.headers().get(name));
    if (refusal.isEmpty() && method.isPresent()) {
      refusal = WebGuard.contentRefusal(name -> request.headers().get(name));
    }
    if (refusal.isPresent()) {
      response.refuse(HttpResponseStatus.valueOf(refusal.get().status()), refusal.get().reason());
    } else if (method.isPresent() && request.method().equals(HttpMethod.POST)) {
      call(method.get(), request, response);
    } else if (method.isPresent()) {
      response.refuse(HttpResponseStatus.METHOD_NOT_ALLOWED, "Method Not Allowed");
    } else {
      pages.answer(uri, grpc, response);
    }
  }

  /** Not from within the answer: a pipeline of requests would be a pile of calls. */
  private void answered(ChannelHandlerContext context) {
    underWay = null;
    context.executor().execute(() -> next(context));
  }

  private void next(ChannelHandlerContext context) {
    answering = false;
    FullHttpRequest request = waiting.pollFirst();
    if (request == null) {
      context.channel().config().setAutoRead(true);
      return;
    }
    try {
      handle(context, request);
    } finally {
      request.release();
    }
  }

  private <Q, R> void call(
      MethodDescriptor<Q, R> method, FullHttpRequest request, JsonResponse response) {
    Q message;
    try {
      message = parse(method, request.content().toString(StandardCharsets.UTF_8));
    } catch (InvalidProtocolBufferException e) {
      response.fail(Status.INVALID_ARGUMENT.withDescription(String.valueOf(e.getMessage())));
      return;
    }
    Metadata headers = new Metadata();
    String token = request.headers().get(AUTHORIZATION.name());
    if (token != null) {
      headers.put(AUTHORIZATION, token);
    }
    ClientCall<Q, R> call = grpc.get().newCall(method, CallOptions.DEFAULT);
    underWay = call;
    response.begin(call, headers, !method.getType().serverSendsOneMessage());
    call.sendMessage(message);
    // A stream of watches ends when its requests do: it goes on until the client leaves.
    if (method.getType().clientSendsOneMessage() || !isWatch(method)) {
      call.halfClose();
    }
  }

  private static boolean isWatch(MethodDescriptor<?, ?> method) {
    return "Watch".equals(method.getBareMethodName());
  }

  /** The message of a method; the method's own kind, as that is what its prototype builds. */
  @SuppressWarnings("unchecked")
  private static <Q> Q parse(MethodDescriptor<Q, ?> method, String json)
      throws InvalidProtocolBufferException {
    var marshaller = (MethodDescriptor.PrototypeMarshaller<Q>) method.getRequestMarshaller();
    Message.Builder builder = ((Message) prototype(marshaller)).newBuilderForType();
    PARSER.merge(json.isBlank() ? "{}" : json, builder);
    return (Q) builder.build();
  }

  private static <Q> Q prototype(MethodDescriptor.PrototypeMarshaller<Q> marshaller) {
    Q prototype = marshaller.getMessagePrototype();
    if (prototype == null) {
      throw new IllegalStateException("generated methods have a prototype");
    }
    return prototype;
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) throws Exception {
    waiting.forEach(FullHttpRequest::release);
    waiting.clear();
    ClientCall<?, ?> call = underWay;
    if (call != null) {
      call.cancel("the client is gone", null);
    }
    super.channelInactive(context);
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) throws Exception {
    if (event instanceof IdleStateEvent && !answering) {
      var _ = context.close();
    } else {
      super.userEventTriggered(context, event);
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    var _ = context.close();
  }
}
