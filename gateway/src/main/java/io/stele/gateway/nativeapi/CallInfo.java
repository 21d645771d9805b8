package io.stele.gateway.nativeapi;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.stele.base.error.DeniedException;
import io.stele.base.tls.Identity;
import io.stele.gateway.security.Callers;
import io.stele.protocol.wire.WireHeaders;
import org.jspecify.annotations.Nullable;

/**
 * Who makes a call, and how it came here.
 *
 * <pre>
 *   connection               principal
 *   of a node                what the header says: a node asks on behalf of others
 *   of a user                the user; a header must say the same
 *   without a certificate    nobody; a header is refused
 *   without TLS              what the header says
 * </pre>
 *
 * @param principal on whose behalf it is made; empty for nobody in particular
 * @param forwardable whether it has not been forwarded yet
 * @param proven whether the connection has proved that the caller is this principal, or nobody
 */
record CallInfo(String principal, boolean forwardable, boolean proven) {
  /** In whose name servers write what is their own: nobody else's name. */
  private static final String SERVERS = "stele";

  private static final CallInfo PLAIN = new CallInfo("", true, false);
  private static final Context.Key<CallInfo> KEY = Context.keyWithDefault("stele-call", PLAIN);

  /** Of the call that this thread handles. */
  static CallInfo current() {
    return KEY.get();
  }

  /**
   * The principal of a call.
   *
   * @param claimed what the header says, where there is one
   */
  static String principal(Identity caller, @Nullable String claimed) {
    return switch (caller) {
      case Identity.Unchecked _, Identity.Node _ -> claimed == null ? "" : claimed;
      case Identity.User(String name) -> {
        checkName(name);
        if (claimed != null && !claimed.equals(name)) {
          throw notOneself(caller, claimed);
        }
        yield name;
      }
      case Identity.Anonymous _ -> {
        if (claimed != null) {
          throw notOneself(caller, claimed);
        }
        yield "";
      }
    };
  }

  /** A name goes to other servers in a header. */
  private static void checkName(String name) {
    if (name.equals(SERVERS)) {
      throw new DeniedException(
          "user stele: the name is that of the servers; use a certificate for another name");
    }
    if (!name.chars().allMatch(each -> each >= ' ' && each < 0x7f)) {
      throw new DeniedException(
          "user \"" + name + "\": the common name of a certificate must be printable ASCII");
    }
  }

  private static DeniedException notOneself(Identity caller, String claimed) {
    return new DeniedException(
        "%s asks on behalf of %s: must ask for itself, and prove who it is by a certificate"
            .formatted(caller.describe(), claimed));
  }

  /** Finds it out for each call. */
  static final class Reader implements ServerInterceptor {
    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
        ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
      Identity caller = Callers.of(call);
      String principal;
      try {
        principal = principal(caller, headers.get(WireHeaders.PRINCIPAL));
      } catch (DeniedException e) {
        return Callers.refuse(call, e);
      }
      boolean forwarded = headers.containsKey(WireHeaders.NO_FORWARD);
      boolean proven = caller instanceof Identity.User || caller instanceof Identity.Anonymous;
      if (principal.isEmpty() && !forwarded && !proven) {
        return next.startCall(call, headers); // the context's default says so
      }
      CallInfo info = new CallInfo(principal, !forwarded, proven);
      return Contexts.interceptCall(Context.current().withValue(KEY, info), call, headers, next);
    }
  }
}
