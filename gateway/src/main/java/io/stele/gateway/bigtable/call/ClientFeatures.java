package io.stele.gateway.bigtable.call;

import com.google.bigtable.v2.FeatureFlags;
import com.google.protobuf.InvalidProtocolBufferException;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.stele.base.error.InvalidRequestException;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * What a client says that it can do, in the header {@code bigtable-features}: a message in base64,
 * by either alphabet.
 */
public final class ClientFeatures implements ServerInterceptor {
  public static final Metadata.Key<String> HEADER =
      Metadata.Key.of("bigtable-features", Metadata.ASCII_STRING_MARSHALLER);

  private static final Context.Key<String> TEXT = Context.key("bigtable-features");

  /** Of the call that this thread is in; a client without the header can do nothing special. */
  public static FeatureFlags current() {
    String text = TEXT.get();
    return text == null ? FeatureFlags.getDefaultInstance() : parse(text);
  }

  private static FeatureFlags parse(String text) {
    try {
      String common = text.trim().replace('-', '+').replace('_', '/');
      return FeatureFlags.parseFrom(Base64.getDecoder().decode(common));
    } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
      throw new InvalidRequestException(
          "header bigtable-features \"" + text + "\": must be a FeatureFlags message in base64", e);
    }
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    @Nullable String text = headers.get(HEADER);
    return text == null
        ? next.startCall(call, headers)
        : Contexts.interceptCall(Context.current().withValue(TEXT, text), call, headers, next);
  }
}
