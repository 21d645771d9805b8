package io.stele.it.etcd;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.stele.protocol.etcd.AuthEnableRequest;
import io.stele.protocol.etcd.AuthRoleAddRequest;
import io.stele.protocol.etcd.AuthRoleGetRequest;
import io.stele.protocol.etcd.AuthRoleGrantPermissionRequest;
import io.stele.protocol.etcd.AuthRoleListRequest;
import io.stele.protocol.etcd.AuthRoleRevokePermissionRequest;
import io.stele.protocol.etcd.AuthUserAddRequest;
import io.stele.protocol.etcd.AuthUserGetRequest;
import io.stele.protocol.etcd.AuthUserGrantRoleRequest;
import io.stele.protocol.etcd.AuthUserListRequest;
import io.stele.protocol.etcd.Permission;
import io.stele.protocol.etcd.PutRequest;
import io.stele.protocol.etcd.RangeRequest;
import io.stele.protocol.etcd.WatchCreateRequest;
import java.util.List;

/** Requests about users, roles and rights, by which {@link DifferentialIT} compares servers. */
final class RightsRequests {
  static final String PASSWORD = "secret";
  private static final ByteString ZERO = ByteString.copyFrom(new byte[1]);

  private RightsRequests() {}

  /** Makes users and roles, with permissions in no order, and ends with checked rights. */
  static List<Message> setUp() {
    return List.of(
        user("root"),
        role("root"),
        member("root", "root"),
        user("reader"),
        role("some"),
        grant(Permission.Type.READWRITE, "m", ""),
        grant(Permission.Type.READ, "c", "e"),
        grant(Permission.Type.WRITE, "b", ""),
        grant(Permission.Type.READ, "c", "d"),
        grant(Permission.Type.READ, "c", ""),
        grant(Permission.Type.READWRITE, "x", "\0"),
        grant(Permission.Type.READ, "a", "b"),
        AuthRoleGetRequest.newBuilder().setRole("some").build(),
        grant(Permission.Type.READ, "m", ""),
        AuthRoleGetRequest.newBuilder().setRole("some").build(),
        AuthRoleRevokePermissionRequest.newBuilder()
            .setRole("some")
            .setKey(bytes("c"))
            .setRangeEnd(bytes("d"))
            .build(),
        AuthRoleRevokePermissionRequest.newBuilder().setRole("some").setKey(bytes("no")).build(),
        AuthRoleGetRequest.newBuilder().setRole("some").build(),
        role("another"),
        role("among"),
        AuthRoleListRequest.getDefaultInstance(),
        member("reader", "some"),
        member("reader", "another"),
        member("reader", "among"),
        AuthUserGetRequest.newBuilder().setName("reader").build(),
        AuthUserListRequest.getDefaultInstance(),
        AuthEnableRequest.getDefaultInstance());
  }

  /** Of a user that has some rights. */
  static List<Message> ofTheReader() {
    return List.of(
        range("m", ""),
        range("a", "b"),
        range("a", "c"),
        range("c", "e"),
        range("x", "\0"),
        range("\0", "\0"),
        PutRequest.newBuilder().setKey(bytes("b")).build(),
        PutRequest.newBuilder().setKey(bytes("m")).build(),
        PutRequest.newBuilder().setKey(bytes("b")).setPrevKv(true).build(),
        AuthRoleGetRequest.newBuilder().setRole("some").build(),
        AuthRoleGetRequest.newBuilder().setRole("root").build(),
        AuthUserGetRequest.newBuilder().setName("reader").build(),
        AuthUserGetRequest.newBuilder().setName("root").build(),
        AuthUserListRequest.getDefaultInstance(),
        AuthRoleListRequest.getDefaultInstance());
  }

  /** Of the same: some are allowed, some denied. */
  static List<WatchCreateRequest> watches() {
    return List.of(
        watch(1, "m", ""),
        watch(2, "b", ""),
        watch(3, "a", "c"),
        watch(4, "c", "e"),
        watch(5, "\0", "\0"));
  }

  private static WatchCreateRequest watch(long id, String key, String end) {
    return WatchCreateRequest.newBuilder()
        .setWatchId(id)
        .setKey(bytes(key))
        .setRangeEnd(bytes(end))
        .build();
  }

  private static ByteString bytes(String text) {
    return text.equals("\0") ? ZERO : ByteString.copyFromUtf8(text);
  }

  private static Message user(String name) {
    return AuthUserAddRequest.newBuilder().setName(name).setPassword(PASSWORD).build();
  }

  private static Message role(String name) {
    return AuthRoleAddRequest.newBuilder().setName(name).build();
  }

  private static Message member(String user, String role) {
    return AuthUserGrantRoleRequest.newBuilder().setUser(user).setRole(role).build();
  }

  private static Message grant(Permission.Type type, String key, String end) {
    return AuthRoleGrantPermissionRequest.newBuilder()
        .setName("some")
        .setPerm(
            Permission.newBuilder().setPermType(type).setKey(bytes(key)).setRangeEnd(bytes(end)))
        .build();
  }

  private static Message range(String key, String end) {
    return RangeRequest.newBuilder().setKey(bytes(key)).setRangeEnd(bytes(end)).build();
  }
}
