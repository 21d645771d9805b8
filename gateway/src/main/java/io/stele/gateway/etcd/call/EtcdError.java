package io.stele.gateway.etcd.call;

import io.grpc.Status;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import java.util.Locale;

/** The errors of etcd's API. Clients know them by their text, so it is etcd's own to the letter. */
public enum EtcdError {
  EMPTY_KEY(Code.INVALID_ARGUMENT, "key is not provided"),
  KEY_NOT_FOUND(Code.INVALID_ARGUMENT, "key not found"),
  VALUE_PROVIDED(Code.INVALID_ARGUMENT, "value is provided"),
  LEASE_PROVIDED(Code.INVALID_ARGUMENT, "lease is provided"),
  TOO_MANY_OPERATIONS(Code.INVALID_ARGUMENT, "too many operations in txn request"),
  DUPLICATE_KEY(Code.INVALID_ARGUMENT, "duplicate key given in txn request"),
  INVALID_SORT(Code.INVALID_ARGUMENT, "invalid sort option"),
  TOO_LARGE(Code.INVALID_ARGUMENT, "request is too large"),
  COMPACTED(Code.OUT_OF_RANGE, "mvcc: required revision has been compacted"),
  FUTURE_REVISION(Code.OUT_OF_RANGE, "mvcc: required revision is a future revision"),
  LEASE_TOO_LONG(Code.OUT_OF_RANGE, "too large lease TTL"),
  LEASE_NOT_FOUND(Code.NOT_FOUND, "requested lease not found"),
  LEASE_EXISTS(Code.FAILED_PRECONDITION, "lease already exists"),
  MEMBER_NOT_FOUND(Code.NOT_FOUND, "member not found"),
  MEMBER_NOT_LEARNER(Code.FAILED_PRECONDITION, "can only promote a learner member"),
  BAD_MEMBER_URLS(Code.INVALID_ARGUMENT, "given member URLs are invalid"),
  DOWNGRADE_VERSION_FORMAT(Code.INVALID_ARGUMENT, "wrong downgrade target version format"),
  DOWNGRADE_VERSION(Code.INVALID_ARGUMENT, "invalid downgrade target version"),
  NO_DOWNGRADE(Code.FAILED_PRECONDITION, "no inflight downgrade job"),
  NOT_LEADER(Code.FAILED_PRECONDITION, "not leader"),
  NO_LEADER(Code.UNAVAILABLE, "no leader"),
  LEADER_CHANGED(Code.UNAVAILABLE, "leader changed"),
  TIMEOUT(Code.UNAVAILABLE, "request timed out"),
  STOPPED(Code.UNAVAILABLE, "server stopped"),
  NO_SPACE(Code.RESOURCE_EXHAUSTED, "mvcc: database space exceeded"),
  TOO_MANY_REQUESTS(Code.RESOURCE_EXHAUSTED, "too many requests"),
  PERMISSION_DENIED(Code.PERMISSION_DENIED, "permission denied"),
  ROOT_USER_ABSENT(Code.FAILED_PRECONDITION, "root user does not exist"),
  ROOT_ROLE_ABSENT(Code.FAILED_PRECONDITION, "root user does not have root role"),
  USER_EXISTS(Code.FAILED_PRECONDITION, "user name already exists"),
  USER_EMPTY(Code.INVALID_ARGUMENT, "user name is empty"),
  USER_NOT_FOUND(Code.FAILED_PRECONDITION, "user name not found"),
  ROLE_EXISTS(Code.FAILED_PRECONDITION, "role name already exists"),
  ROLE_EMPTY(Code.INVALID_ARGUMENT, "role name is empty"),
  ROLE_NOT_FOUND(Code.FAILED_PRECONDITION, "role name not found"),
  ROLE_NOT_GRANTED(Code.FAILED_PRECONDITION, "role is not granted to the user"),
  PERMISSION_NOT_GRANTED(Code.FAILED_PRECONDITION, "permission is not granted to the role"),
  AUTH_FAILED(Code.INVALID_ARGUMENT, "authentication failed, invalid user ID or password"),
  AUTH_NOT_ENABLED(Code.FAILED_PRECONDITION, "authentication is not enabled"),
  INVALID_AUTH_MANAGEMENT(Code.INVALID_ARGUMENT, "invalid auth management"),
  INVALID_TOKEN(Code.UNAUTHENTICATED, "invalid auth token"),
  CORRUPT(Code.DATA_LOSS, "corrupt cluster");

  private final Code code;
  private final String text;

  EtcdError(Code code, String text) {
    this.code = code;
    this.text = "etcdserver: " + text;
  }

  public Status status() {
    return code.toStatus().withDescription(text);
  }

  /** As the reason why a watch was cancelled: there etcd tells the error as gRPC prints it. */
  public String reason() {
    return "rpc error: code = " + nameInGo() + " desc = " + text;
  }

  /** PERMISSION_DENIED is PermissionDenied there. */
  private String nameInGo() {
    StringBuilder name = new StringBuilder();
    for (String word : code.name().split("_", -1)) {
      name.append(word.charAt(0)).append(word.substring(1).toLowerCase(Locale.ROOT));
    }
    return name.toString();
  }

  public StatusRuntimeException exception() {
    return status().asRuntimeException();
  }
}
