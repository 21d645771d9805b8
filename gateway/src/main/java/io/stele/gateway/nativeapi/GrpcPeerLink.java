package io.stele.gateway.nativeapi;

import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.Context;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.metastore.raft.Member;
import io.stele.metastore.raft.PeerIdentity;
import io.stele.metastore.raft.PeerLink;
import io.stele.protocol.v1.CheckpointRequest;
import io.stele.protocol.v1.Chunk;
import io.stele.protocol.v1.CurrentTermRequest;
import io.stele.protocol.v1.FingerprintRequest;
import io.stele.protocol.v1.FormRequest;
import io.stele.protocol.v1.IdentifyRequest;
import io.stele.protocol.v1.MetastorePeerGrpc;
import io.stele.protocol.v1.ReserveRequest;
import io.stele.protocol.v1.UnreserveRequest;
import io.stele.protocol.wire.ErrorMapping;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What members ask each other, over the native protocol. */
public final class GrpcPeerLink implements PeerLink {
  private final Channels channels;
  private final Duration patience;
  private final Duration formPatience;

  /**
   * A link over these connections.
   *
   * @param patience how long a peer may take to answer what it knows by heart
   * @param formPatience how long it may take to begin to take part in a group
   */
  public GrpcPeerLink(Channels channels, Duration patience, Duration formPatience) {
    this.channels = channels;
    this.patience = patience;
    this.formPatience = formPatience;
  }

  @Override
  public CompletableFuture<Long> currentTerm(Member peer) {
    return ask(
        peer.serviceAddress(),
        MetastorePeerGrpc.getCurrentTermMethod(),
        CurrentTermRequest.newBuilder().setMember(peer.id()).build(),
        patience,
        response -> response.getTerm());
  }

  @Override
  public CompletableFuture<Boolean> reserve(String serviceAddress, String group) {
    return ask(
        serviceAddress,
        MetastorePeerGrpc.getReserveMethod(),
        ReserveRequest.newBuilder().setGroup(group).build(),
        patience,
        response -> response.getReserved());
  }

  @Override
  public CompletableFuture<Void> release(String serviceAddress, String group) {
    return ask(
            serviceAddress,
            MetastorePeerGrpc.getUnreserveMethod(),
            UnreserveRequest.newBuilder().setGroup(group).build(),
            patience,
            response -> response)
        .thenAccept(response -> {});
  }

  @Override
  public CompletableFuture<Void> form(
      String serviceAddress, String group, String memberId, List<Member> members) {
    FormRequest.Builder request = FormRequest.newBuilder().setGroup(group).setMember(memberId);
    members.forEach(member -> request.addMembers(ToWire.member(member)));
    return ask(
            serviceAddress,
            MetastorePeerGrpc.getFormMethod(),
            request.build(),
            formPatience,
            response -> response)
        .thenAccept(response -> {});
  }

  @Override
  public CompletableFuture<PeerIdentity> identify(String serviceAddress) {
    return ask(
        serviceAddress,
        MetastorePeerGrpc.getIdentifyMethod(),
        IdentifyRequest.getDefaultInstance(),
        patience,
        response ->
            new PeerIdentity(
                FromWire.member(response.getMember()),
                Optional.of(response.getGroup()).filter(group -> !group.isEmpty()),
                Math.max(1, response.getVersion()),
                Optional.of(response.getClientUrl()).filter(url -> !url.isEmpty())));
  }

  @Override
  public CompletableFuture<Optional<String>> fingerprint(Member peer, long index) {
    return ask(
        peer.serviceAddress(),
        MetastorePeerGrpc.getFingerprintMethod(),
        FingerprintRequest.newBuilder().setIndex(index).build(),
        patience,
        response -> Optional.of(response.getDigest()).filter(digest -> !digest.isEmpty()));
  }

  private <Q, R, A> CompletableFuture<A> ask(
      String address,
      MethodDescriptor<Q, R> method,
      Q request,
      Duration within,
      Function<R, A> fromWire) {
    CompletableFuture<A> answer = new CompletableFuture<>();
    // Not in the context of the request that happens to be served here: a call ends with its
    // context, and a round that confirms the lead is for all who wait, whoever's answer began it.
    Context outer = Context.ROOT.attach();
    try {
      CallOptions options =
          CallOptions.DEFAULT.withDeadlineAfter(within.toNanos(), TimeUnit.NANOSECONDS);
      ClientCalls.asyncUnaryCall(
          channels.to(address).newCall(method, options),
          request,
          new StreamObserver<R>() {
            @Override
            public void onNext(R response) {
              try {
                answer.complete(fromWire.apply(response));
              } catch (SteleException e) {
                answer.completeExceptionally(e);
              }
            }

            @Override
            public void onError(Throwable problem) {
              if (ErrorMapping.neverSent(Status.fromThrowable(problem))) {
                channels.unreachable(address);
              }
              answer.completeExceptionally(ErrorMapping.fromThrown(address, problem));
            }

            @Override
            public void onCompleted() {
              answer.completeExceptionally( // unless there was one
                  new UnavailableException(address + ": an answer without content"));
            }
          });
    } catch (SteleException e) {
      answer.completeExceptionally(e);
    } finally {
      Context.ROOT.detach(outer);
    }
    return answer;
  }

  /** Reads at the pace of the caller: the peer waits while nothing is read. */
  @Override
  public InputStream checkpoint(Member peer) throws IOException {
    Context.CancellableContext context = Context.ROOT.withCancellation();
    try {
      Iterator<Chunk> chunks =
          context.call(
              () ->
                  ClientCalls.blockingServerStreamingCall(
                      channels.to(peer.serviceAddress()),
                      MetastorePeerGrpc.getCheckpointMethod(),
                      CallOptions.DEFAULT,
                      CheckpointRequest.getDefaultInstance()));
      return new Received(peer.serviceAddress(), context, chunks);
    } catch (Exception e) {
      context.cancel(e);
      throw new IOException("checkpoint of " + peer.serviceAddress() + ": " + e.getMessage(), e);
    }
  }

  private static final class Received extends InputStream {
    private final String address;
    private final Context.CancellableContext context;
    private final Iterator<Chunk> chunks;
    private ByteString current = ByteString.EMPTY;
    private int at;

    Received(String address, Context.CancellableContext context, Iterator<Chunk> chunks) {
      this.address = address;
      this.context = context;
      this.chunks = chunks;
    }

    @Override
    public int read() throws IOException {
      return more() ? current.byteAt(at++) & 0xff : -1;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      if (length == 0) {
        return 0;
      }
      if (!more()) {
        return -1;
      }
      int count = Math.min(length, current.size() - at);
      current.substring(at, at + count).copyTo(target, offset);
      at += count;
      return count;
    }

    private boolean more() throws IOException {
      try {
        while (at == current.size()) {
          if (!chunks.hasNext()) {
            return false;
          }
          current = chunks.next().getData();
          at = 0;
        }
        return true;
      } catch (StatusRuntimeException e) {
        SteleException problem = ErrorMapping.fromThrown(address, e);
        throw new IOException("checkpoint of " + address + ": " + problem.getMessage(), problem);
      }
    }

    @Override
    public void close() {
      @Nullable Throwable nothingWrong = null;
      context.cancel(nothingWrong);
    }
  }
}
