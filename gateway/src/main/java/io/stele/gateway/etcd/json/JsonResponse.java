package io.stele.gateway.etcd.json;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.StringValue;
import com.google.protobuf.util.JsonFormat;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.nio.charset.StandardCharsets;

/**
 * One answer on its way. A call of one answer is its JSON; of a stream each message is a line, with
 * the message as its {@code result}. A message is asked for when the one before has been written.
 */
final class JsonResponse {
  private static final JsonFormat.Printer PRINTER =
      JsonFormat.printer().preservingProtoFieldNames().omittingInsignificantWhitespace();

  private final ChannelHandlerContext context;
  private final boolean keepAlive;
  private final Runnable done;

  // Only on the connection's thread.
  private boolean streaming;
  private boolean ended;

  /**
   * For one request.
   *
   * @param done run once, when all of the answer has been written
   */
  JsonResponse(ChannelHandlerContext context, boolean keepAlive, Runnable done) {
    this.context = context;
    this.keepAlive = keepAlive;
    this.done = done;
  }

  <Q, R> void begin(ClientCall<Q, R> call, Metadata headers, boolean stream) {
    call.start(
        new ClientCall.Listener<>() {
          @Override
          public void onMessage(R message) {
            context
                .executor()
                .execute(
                    () -> {
                      if (stream) {
                        writeLine(json(message)).addListener(_ -> call.request(1));
                      } else {
                        answer(HttpResponseStatus.OK, "application/json", json(message));
                      }
                    });
          }

          @Override
          public void onClose(Status status, Metadata trailers) {
            context
                .executor()
                .execute(
                    () -> {
                      if (!status.isOk()) {
                        fail(status);
                      } else if (streaming) {
                        end(context.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT));
                      } else {
                        answer(HttpResponseStatus.OK, "application/json", ""); // of no message
                      }
                    });
          }
        },
        headers);
    call.request(stream ? 1 : 2); // two, so that more than one answer would be noticed
  }

  private static String json(Object message) {
    try {
      return PRINTER.print((Message) message);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("every message of this API has a JSON form", e);
    }
  }

  private ChannelFuture writeLine(String json) {
    if (!streaming) {
      streaming = true;
      HttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
      head.headers().set(HttpHeaderNames.CONTENT_TYPE, HttpHeaderValues.APPLICATION_JSON);
      HttpUtil.setTransferEncodingChunked(head, true);
      var _ = context.write(head);
    }
    return context.writeAndFlush(new DefaultHttpContent(bytes("{\"result\":" + json + "}\n")));
  }

  /** An error as etcd's gateway tells it; within a stream the last line. */
  void fail(Status status) {
    String text =
        json(
            StringValue.of(
                status.getDescription() == null
                    ? status.getCode().name()
                    : status.getDescription()));
    String error =
        "{\"error\":%s,\"message\":%s,\"code\":%d}".formatted(text, text, status.getCode().value());
    if (streaming && !ended) {
      var _ = context.write(new DefaultHttpContent(bytes("{\"error\":" + error + "}\n")));
      end(context.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT));
    } else {
      answer(http(status.getCode()), "application/json", error);
    }
  }

  void refuse(HttpResponseStatus status, String text) {
    answer(status, "text/plain; charset=utf-8", text + "\n");
  }

  /** The whole answer, on any thread; what comes after an answer is dropped. */
  void answer(HttpResponseStatus status, String type, String body) {
    if (!context.executor().inEventLoop()) {
      context.executor().execute(() -> answer(status, type, body));
      return;
    }
    if (ended) {
      return;
    }
    FullHttpResponse response =
        new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, bytes(body));
    response.headers().set(HttpHeaderNames.CONTENT_TYPE, type);
    HttpUtil.setContentLength(response, response.content().readableBytes());
    HttpUtil.setKeepAlive(response, keepAlive);
    end(context.writeAndFlush(response));
  }

  private void end(ChannelFuture written) {
    ended = true;
    if (!keepAlive) {
      written.addListener(ChannelFutureListener.CLOSE);
    }
    done.run();
  }

  private static ByteBuf bytes(String text) {
    return Unpooled.wrappedBuffer(text.getBytes(StandardCharsets.UTF_8));
  }

  private static HttpResponseStatus http(Status.Code code) {
    return switch (code) {
      case OK -> HttpResponseStatus.OK;
      case INVALID_ARGUMENT, OUT_OF_RANGE, FAILED_PRECONDITION -> HttpResponseStatus.BAD_REQUEST;
      case NOT_FOUND -> HttpResponseStatus.NOT_FOUND;
      case ALREADY_EXISTS, ABORTED -> HttpResponseStatus.CONFLICT;
      case PERMISSION_DENIED -> HttpResponseStatus.FORBIDDEN;
      case UNAUTHENTICATED -> HttpResponseStatus.UNAUTHORIZED;
      case RESOURCE_EXHAUSTED -> HttpResponseStatus.TOO_MANY_REQUESTS;
      case UNIMPLEMENTED -> HttpResponseStatus.NOT_IMPLEMENTED;
      case UNAVAILABLE -> HttpResponseStatus.SERVICE_UNAVAILABLE;
      case DEADLINE_EXCEEDED -> HttpResponseStatus.GATEWAY_TIMEOUT;
      case CANCELLED -> HttpResponseStatus.REQUEST_TIMEOUT;
      case UNKNOWN, INTERNAL, DATA_LOSS -> HttpResponseStatus.INTERNAL_SERVER_ERROR;
    };
  }
}
