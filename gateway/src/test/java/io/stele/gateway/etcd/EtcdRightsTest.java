package io.stele.gateway.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Metadata;
import io.grpc.stub.MetadataUtils;
import io.stele.protocol.etcd.AlarmRequest;
import io.stele.protocol.etcd.AuthEnableRequest;
import io.stele.protocol.etcd.AuthGrpc;
import io.stele.protocol.etcd.AuthRoleAddRequest;
import io.stele.protocol.etcd.AuthRoleGetRequest;
import io.stele.protocol.etcd.AuthRoleGrantPermissionRequest;
import io.stele.protocol.etcd.AuthStatusRequest;
import io.stele.protocol.etcd.AuthUserAddRequest;
import io.stele.protocol.etcd.AuthUserGrantRoleRequest;
import io.stele.protocol.etcd.AuthenticateRequest;
import io.stele.protocol.etcd.CompactionRequest;
import io.stele.protocol.etcd.DefragmentRequest;
import io.stele.protocol.etcd.KVGrpc;
import io.stele.protocol.etcd.MaintenanceGrpc;
import io.stele.protocol.etcd.Permission;
import io.stele.protocol.etcd.StatusRequest;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What only root may ask for, once there are users. */
class EtcdRightsTest {
  private final EtcdMember member = new EtcdMember();

  @AfterEach
  void close() {
    member.close();
  }

  private Metadata token(String user) {
    String token =
        AuthGrpc.newBlockingStub(member.channel())
            .authenticate(
                AuthenticateRequest.newBuilder().setName(user).setPassword("secret").build())
            .getToken();
    Metadata headers = new Metadata();
    headers.put(Metadata.Key.of("token", Metadata.ASCII_STRING_MARSHALLER), token);
    return headers;
  }

  @Test
  void permissionsAreListedInTheOrderOfTheirKeys() {
    AuthGrpc.AuthBlockingStub auth = AuthGrpc.newBlockingStub(member.channel());
    auth.roleAdd(AuthRoleAddRequest.newBuilder().setName("reader").build());
    for (String key : new String[] {"m", "a", "z"}) {
      auth.roleGrantPermission(
          AuthRoleGrantPermissionRequest.newBuilder()
              .setName("reader")
              .setPerm(Permission.newBuilder().setKey(EtcdMember.bytes(key)))
              .build());
    }
    assertThat(
            auth.roleGet(AuthRoleGetRequest.newBuilder().setRole("reader").build()).getPermList())
        .extracting(permission -> permission.getKey().toStringUtf8())
        .containsExactly("a", "m", "z");
  }

  @Test
  void upkeepIsForRootAlone() {
    long revision = member.put("a", "1");
    AuthGrpc.AuthBlockingStub auth = AuthGrpc.newBlockingStub(member.channel());
    auth.roleAdd(AuthRoleAddRequest.newBuilder().setName("root").build());
    for (String user : new String[] {"root", "bob"}) {
      auth.userAdd(AuthUserAddRequest.newBuilder().setName(user).setPassword("secret").build());
    }
    auth.userGrantRole(
        AuthUserGrantRoleRequest.newBuilder().setUser("root").setRole("root").build());
    auth.authEnable(AuthEnableRequest.getDefaultInstance());

    var bob = MetadataUtils.newAttachHeadersInterceptor(token("bob"));
    var root = MetadataUtils.newAttachHeadersInterceptor(token("root"));
    CompactionRequest compaction = CompactionRequest.newBuilder().setRevision(revision).build();
    KVGrpc.KVBlockingStub keys = member.keys();
    MaintenanceGrpc.MaintenanceBlockingStub upkeep =
        MaintenanceGrpc.newBlockingStub(member.channel());
    for (ThrowingCallable call :
        new ThrowingCallable[] {
          () -> keys.withInterceptors(bob).compact(compaction),
          () -> upkeep.withInterceptors(bob).status(StatusRequest.getDefaultInstance()),
          () -> upkeep.withInterceptors(bob).alarm(AlarmRequest.getDefaultInstance()),
          () -> upkeep.withInterceptors(bob).defragment(DefragmentRequest.getDefaultInstance()),
          () -> auth.withInterceptors(bob).authStatus(AuthStatusRequest.getDefaultInstance())
        }) {
      assertThatThrownBy(call).hasMessageContaining("etcdserver: permission denied");
    }
    keys.withInterceptors(root).compact(compaction);
    upkeep.withInterceptors(root).status(StatusRequest.getDefaultInstance());
    assertThat(
            auth.withInterceptors(root)
                .authStatus(AuthStatusRequest.getDefaultInstance())
                .getEnabled())
        .isTrue();
  }
}
