package io.stele.gateway.etcd;

import static io.stele.gateway.etcd.EtcdMember.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import io.stele.base.error.UnavailableException;
import io.stele.gateway.nativeapi.MemberAdmin;
import io.stele.metastore.raft.Member;
import io.stele.metastore.raft.PeerIdentity;
import io.stele.protocol.etcd.ClusterGrpc;
import io.stele.protocol.etcd.MemberAddRequest;
import io.stele.protocol.etcd.MemberListRequest;
import io.stele.protocol.etcd.WatchCreateRequest;
import io.stele.protocol.etcd.WatchGrpc;
import io.stele.protocol.etcd.WatchRequest;
import io.stele.protocol.etcd.WatchResponse;
import java.lang.reflect.Proxy;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What clients learn of the members, and how they hear of the past. */
class EtcdMembersTest {
  private final EtcdMember member = new EtcdMember();

  @AfterEach
  void close() {
    member.close();
  }

  private MemberAdmin admin(Optional<String> url) {
    return admin(() -> url);
  }

  /** Says a URL for its clients each time it is asked who it is. */
  private MemberAdmin admin(Supplier<Optional<String>> url) {
    return (MemberAdmin)
        Proxy.newProxyInstance(
            MemberAdmin.class.getClassLoader(),
            new Class<?>[] {MemberAdmin.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "identify" ->
                      new PeerIdentity(
                          new Member("self", "127.0.0.1:1", "127.0.0.1:2"),
                          Optional.of("group"),
                          2,
                          url.get());
                  case "add" -> throw new UnavailableException("nobody answers there");
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  private List<io.stele.protocol.etcd.Member> list() {
    return ClusterGrpc.newBlockingStub(member.channel())
        .memberList(MemberListRequest.getDefaultInstance())
        .getMembersList();
  }

  /** Clients that take their endpoints from the list would otherwise leave TLS, and the port. */
  @Test
  void theListNamesThePortAndTheSchemeOfClients() {
    member.gateway().serve(member.node, admin(Optional.of("https://db1:2379")));
    assertThat(list())
        .singleElement()
        .satisfies(
            one -> {
              assertThat(one.getClientURLsList()).containsExactly("https://db1:2379");
              assertThat(one.getPeerURLsList()).containsExactly("http://127.0.0.1:2");
            });
  }

  @Test
  void aMemberWithoutAPortOfItsOwnForThemHasItsNativeOne() {
    member.gateway().serve(member.node, admin(Optional.empty()));
    assertThat(list().getFirst().getClientURLsList()).containsExactly("http://127.0.0.1:2");
  }

  /** The member is asked for its URL first, and then whether clients come by TLS. */
  @Test
  void clientsWhoCameByTlsAreSentNowhereWithout() {
    Iterator<Optional<String>> unknownThenSecured =
        List.of(Optional.<String>empty(), Optional.of("https://db1:2379")).iterator();
    member.gateway().serve(member.node, admin(unknownThenSecured::next));
    assertThat(list())
        .singleElement()
        .satisfies(one -> assertThat(one.getClientURLsList()).isEmpty());
  }

  /** E5: "server stopped" would have clients try other members. */
  @Test
  void aServerThatDoesNotAnswerIsNotAddedAndNamed() {
    member.gateway().serve(member.node, admin(Optional.empty()));
    assertThatThrownBy(
            () ->
                ClusterGrpc.newBlockingStub(member.channel())
                    .memberAdd(
                        MemberAddRequest.newBuilder().addPeerURLs("http://10.9.9.9:7835").build()))
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e -> {
              assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.FAILED_PRECONDITION);
              assertThat(e.getStatus().getDescription())
                  .contains("no server to add at http://10.9.9.9:7835", "nobody answers there");
            });
  }

  @Test
  void aWatchFromThePastComesInFewMessages() {
    long first = member.put("k", "0");
    for (int i = 1; i < 50; i++) {
      member.put("k", "" + i);
    }
    List<WatchResponse> told = new CopyOnWriteArrayList<>();
    StreamObserver<WatchRequest> requests =
        WatchGrpc.newStub(member.channel())
            .watch(
                new StreamObserver<>() {
                  @Override
                  public void onNext(WatchResponse response) {
                    told.add(response);
                  }

                  @Override
                  public void onError(Throwable problem) {}

                  @Override
                  public void onCompleted() {}
                });
    requests.onNext(
        WatchRequest.newBuilder()
            .setCreateRequest(
                WatchCreateRequest.newBuilder().setKey(bytes("k")).setStartRevision(first))
            .build());
    await().until(() -> told.stream().mapToInt(WatchResponse::getEventsCount).sum() == 50);
    assertThat(told).as("created, and the past").hasSizeLessThan(5);
    assertThat(told.stream().flatMap(r -> r.getEventsList().stream()))
        .extracting(event -> event.getKv().getModRevision())
        .isSorted()
        .doesNotHaveDuplicates();
    requests.onCompleted();
  }
}
