package io.stele.gateway.etcd.auth;

import com.google.protobuf.MessageLite;
import io.grpc.MethodDescriptor;
import io.grpc.stub.StreamObserver;
import io.stele.gateway.etcd.call.EtcdBackend;
import io.stele.gateway.etcd.call.EtcdCaller;
import io.stele.gateway.etcd.call.EtcdCalls;
import io.stele.gateway.etcd.call.EtcdError;
import io.stele.protocol.etcd.AuthDisableRequest;
import io.stele.protocol.etcd.AuthDisableResponse;
import io.stele.protocol.etcd.AuthEnableRequest;
import io.stele.protocol.etcd.AuthEnableResponse;
import io.stele.protocol.etcd.AuthGrpc;
import io.stele.protocol.etcd.AuthRoleAddRequest;
import io.stele.protocol.etcd.AuthRoleAddResponse;
import io.stele.protocol.etcd.AuthRoleDeleteRequest;
import io.stele.protocol.etcd.AuthRoleDeleteResponse;
import io.stele.protocol.etcd.AuthRoleGetRequest;
import io.stele.protocol.etcd.AuthRoleGetResponse;
import io.stele.protocol.etcd.AuthRoleGrantPermissionRequest;
import io.stele.protocol.etcd.AuthRoleGrantPermissionResponse;
import io.stele.protocol.etcd.AuthRoleListRequest;
import io.stele.protocol.etcd.AuthRoleListResponse;
import io.stele.protocol.etcd.AuthRoleRevokePermissionRequest;
import io.stele.protocol.etcd.AuthRoleRevokePermissionResponse;
import io.stele.protocol.etcd.AuthStatusRequest;
import io.stele.protocol.etcd.AuthStatusResponse;
import io.stele.protocol.etcd.AuthUserAddRequest;
import io.stele.protocol.etcd.AuthUserAddResponse;
import io.stele.protocol.etcd.AuthUserChangePasswordRequest;
import io.stele.protocol.etcd.AuthUserChangePasswordResponse;
import io.stele.protocol.etcd.AuthUserDeleteRequest;
import io.stele.protocol.etcd.AuthUserDeleteResponse;
import io.stele.protocol.etcd.AuthUserGetRequest;
import io.stele.protocol.etcd.AuthUserGetResponse;
import io.stele.protocol.etcd.AuthUserGrantRoleRequest;
import io.stele.protocol.etcd.AuthUserGrantRoleResponse;
import io.stele.protocol.etcd.AuthUserListRequest;
import io.stele.protocol.etcd.AuthUserListResponse;
import io.stele.protocol.etcd.AuthUserRevokeRoleRequest;
import io.stele.protocol.etcd.AuthUserRevokeRoleResponse;
import io.stele.protocol.etcd.AuthenticateRequest;
import io.stele.protocol.etcd.AuthenticateResponse;
import io.stele.protocol.etcd.ResponseHeader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** etcd's users and roles. Changes are {@link AuthChanges}; here they meet their requests. */
public final class AuthService extends AuthGrpc.AuthImplBase {
  private final EtcdCalls calls;
  private final EtcdBackend backend;
  private final Access access;
  private final AuthChanges changes;
  private final ExecutorService blocking;

  public AuthService(EtcdCalls calls, Access access, ExecutorService blocking) {
    this.calls = calls;
    this.backend = calls.backend();
    this.access = access;
    this.changes = new AuthChanges(access.credentials());
    this.blocking = blocking;
  }

  /** A change by somebody who may do everything; hashing takes its time, so not on this thread. */
  private <Q extends MessageLite, R> void change(
      MethodDescriptor<Q, R> method,
      Q request,
      StreamObserver<R> caller,
      UnaryOperator<AuthState> change,
      Function<ResponseHeader, R> response) {
    calls.answer(
        method,
        request,
        caller,
        (metastore, who) -> {
          access.of(who).checkAdmin();
          return CompletableFuture.runAsync(() -> {}, blocking)
              .thenCompose(_ -> access.store().change(metastore, change))
              .thenApply(_ -> response.apply(backend.header()));
        });
  }

  /** Answers out of the state as this member knows it. */
  private <Q extends MessageLite, R> void look(
      MethodDescriptor<Q, R> method,
      Q request,
      StreamObserver<R> caller,
      Function<Look, R> question) {
    calls.answer(
        method,
        request,
        caller,
        (metastore, who) -> CompletableFuture.completedFuture(question.apply(look(who))));
  }

  /** What there is to see, and for whom. */
  private record Look(AuthState state, Grant grant, ResponseHeader header) {}

  private Look look(EtcdCaller who) {
    AuthState state = access.store().known();
    return new Look(state, access.of(who), backend.header());
  }

  // ---- whether users count

  @Override
  public void authEnable(AuthEnableRequest request, StreamObserver<AuthEnableResponse> caller) {
    change(
        AuthGrpc.getAuthEnableMethod(),
        request,
        caller,
        AuthChanges::enable,
        header -> AuthEnableResponse.newBuilder().setHeader(header).build());
  }

  @Override
  public void authDisable(AuthDisableRequest request, StreamObserver<AuthDisableResponse> caller) {
    change(
        AuthGrpc.getAuthDisableMethod(),
        request,
        caller,
        AuthChanges::disable,
        header -> AuthDisableResponse.newBuilder().setHeader(header).build());
  }

  @Override
  public void authStatus(AuthStatusRequest request, StreamObserver<AuthStatusResponse> caller) {
    calls.answer(
        AuthGrpc.getAuthStatusMethod(),
        request,
        caller,
        (metastore, who) -> {
          access.of(who).checkAdmin();
          AuthState state = access.store().known();
          return CompletableFuture.completedFuture(
              AuthStatusResponse.newBuilder()
                  .setHeader(backend.header())
                  .setEnabled(state.enabled())
                  .setAuthRevision(state.revision())
                  .build());
        });
  }

  @Override
  public void authenticate(
      AuthenticateRequest request, StreamObserver<AuthenticateResponse> caller) {
    calls.answer(
        AuthGrpc.getAuthenticateMethod(),
        request,
        caller,
        (metastore, who) ->
            CompletableFuture.supplyAsync(
                () ->
                    AuthenticateResponse.newBuilder()
                        .setHeader(backend.header())
                        .setToken(token(access.store().known(), request))
                        .build(),
                blocking));
  }

  private String token(AuthState state, AuthenticateRequest request) {
    if (!state.enabled()) {
      throw EtcdError.AUTH_NOT_ENABLED.exception();
    }
    AuthState.User user = state.users().get(request.getName());
    if (user == null || !Credentials.matches(request.getPassword(), user)) {
      throw EtcdError.AUTH_FAILED.exception();
    }
    return access.credentials().token(user.name(), state.secret());
  }

  // ---- users

  @Override
  public void userAdd(AuthUserAddRequest request, StreamObserver<AuthUserAddResponse> caller) {
    change(
        AuthGrpc.getUserAddMethod(),
        request,
        caller,
        state ->
            changes.addUser(
                state,
                request.getName(),
                request.getPassword(),
                request.getOptions().getNoPassword()),
        header -> AuthUserAddResponse.newBuilder().setHeader(header).build());
  }

  @Override
  public void userGet(AuthUserGetRequest request, StreamObserver<AuthUserGetResponse> caller) {
    look(
        AuthGrpc.getUserGetMethod(),
        request,
        caller,
        at -> {
          if (!at.grant().principal().equals(request.getName())) {
            at.grant().checkAdmin();
          }
          AuthState.User user = AuthChanges.user(at.state(), request.getName());
          return AuthUserGetResponse.newBuilder()
              .setHeader(at.header())
              .addAllRoles(user.roles())
              .build();
        });
  }

  @Override
  public void userList(AuthUserListRequest request, StreamObserver<AuthUserListResponse> caller) {
    look(
        AuthGrpc.getUserListMethod(),
        request,
        caller,
        at -> {
          at.grant().checkAdmin();
          return AuthUserListResponse.newBuilder()
              .setHeader(at.header())
              .addAllUsers(at.state().users().keySet())
              .build();
        });
  }

  @Override
  public void userDelete(
      AuthUserDeleteRequest request, StreamObserver<AuthUserDeleteResponse> caller) {
    change(
        AuthGrpc.getUserDeleteMethod(),
        request,
        caller,
        state -> AuthChanges.deleteUser(state, request.getName()),
        header -> AuthUserDeleteResponse.newBuilder().setHeader(header).build());
  }

  @Override
  public void userChangePassword(
      AuthUserChangePasswordRequest request,
      StreamObserver<AuthUserChangePasswordResponse> caller) {
    change(
        AuthGrpc.getUserChangePasswordMethod(),
        request,
        caller,
        state -> changes.changePassword(state, request.getName(), request.getPassword()),
        header -> AuthUserChangePasswordResponse.newBuilder().setHeader(header).build());
  }

  @Override
  public void userGrantRole(
      AuthUserGrantRoleRequest request, StreamObserver<AuthUserGrantRoleResponse> caller) {
    change(
        AuthGrpc.getUserGrantRoleMethod(),
        request,
        caller,
        state -> AuthChanges.grantRole(state, request.getUser(), request.getRole()),
        header -> AuthUserGrantRoleResponse.newBuilder().setHeader(header).build());
  }

  @Override
  public void userRevokeRole(
      AuthUserRevokeRoleRequest request, StreamObserver<AuthUserRevokeRoleResponse> caller) {
    change(
        AuthGrpc.getUserRevokeRoleMethod(),
        request,
        caller,
        state -> AuthChanges.revokeRole(state, request.getName(), request.getRole()),
        header -> AuthUserRevokeRoleResponse.newBuilder().setHeader(header).build());
  }

  // ---- roles

  @Override
  public void roleAdd(AuthRoleAddRequest request, StreamObserver<AuthRoleAddResponse> caller) {
    change(
        AuthGrpc.getRoleAddMethod(),
        request,
        caller,
        state -> AuthChanges.addRole(state, request.getName()),
        header -> AuthRoleAddResponse.newBuilder().setHeader(header).build());
  }

  @Override
  public void roleGet(AuthRoleGetRequest request, StreamObserver<AuthRoleGetResponse> caller) {
    look(
        AuthGrpc.getRoleGetMethod(),
        request,
        caller,
        at -> {
          AuthState.User self = at.state().users().get(at.grant().principal());
          if (self == null || !self.roles().contains(request.getRole())) {
            at.grant().checkAdmin();
          }
          return AuthRoleGetResponse.newBuilder()
              .setHeader(at.header())
              .addAllPerm(
                  AuthChanges.role(at.state(), request.getRole()).permissions().stream()
                      .map(Permissions::wire)
                      .toList())
              .build();
        });
  }

  @Override
  public void roleList(AuthRoleListRequest request, StreamObserver<AuthRoleListResponse> caller) {
    look(
        AuthGrpc.getRoleListMethod(),
        request,
        caller,
        at -> {
          at.grant().checkAdmin();
          return AuthRoleListResponse.newBuilder()
              .setHeader(at.header())
              .addAllRoles(at.state().roles().keySet())
              .build();
        });
  }

  @Override
  public void roleDelete(
      AuthRoleDeleteRequest request, StreamObserver<AuthRoleDeleteResponse> caller) {
    change(
        AuthGrpc.getRoleDeleteMethod(),
        request,
        caller,
        state -> AuthChanges.deleteRole(state, request.getRole()),
        header -> AuthRoleDeleteResponse.newBuilder().setHeader(header).build());
  }

  @Override
  public void roleGrantPermission(
      AuthRoleGrantPermissionRequest request,
      StreamObserver<AuthRoleGrantPermissionResponse> caller) {
    change(
        AuthGrpc.getRoleGrantPermissionMethod(),
        request,
        caller,
        state -> AuthChanges.grant(state, request.getName(), Permissions.of(request.getPerm())),
        header -> AuthRoleGrantPermissionResponse.newBuilder().setHeader(header).build());
  }

  @Override
  public void roleRevokePermission(
      AuthRoleRevokePermissionRequest request,
      StreamObserver<AuthRoleRevokePermissionResponse> caller) {
    change(
        AuthGrpc.getRoleRevokePermissionMethod(),
        request,
        caller,
        state ->
            AuthChanges.revoke(
                state,
                request.getRole(),
                Permissions.range(request.getKey(), request.getRangeEnd())),
        header -> AuthRoleRevokePermissionResponse.newBuilder().setHeader(header).build());
  }
}
