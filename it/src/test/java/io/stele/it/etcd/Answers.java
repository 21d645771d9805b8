package io.stele.it.etcd;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.stele.protocol.etcd.AlarmRequest;
import io.stele.protocol.etcd.AuthEnableRequest;
import io.stele.protocol.etcd.AuthGrpc;
import io.stele.protocol.etcd.AuthRoleAddRequest;
import io.stele.protocol.etcd.AuthRoleGetRequest;
import io.stele.protocol.etcd.AuthRoleGrantPermissionRequest;
import io.stele.protocol.etcd.AuthRoleListRequest;
import io.stele.protocol.etcd.AuthRoleRevokePermissionRequest;
import io.stele.protocol.etcd.AuthUserAddRequest;
import io.stele.protocol.etcd.AuthUserGetRequest;
import io.stele.protocol.etcd.AuthUserGrantRoleRequest;
import io.stele.protocol.etcd.AuthUserListRequest;
import io.stele.protocol.etcd.CompactionRequest;
import io.stele.protocol.etcd.DeleteRangeRequest;
import io.stele.protocol.etcd.KVGrpc;
import io.stele.protocol.etcd.LeaseGrantRequest;
import io.stele.protocol.etcd.LeaseGrpc;
import io.stele.protocol.etcd.LeaseRevokeRequest;
import io.stele.protocol.etcd.LeaseTimeToLiveRequest;
import io.stele.protocol.etcd.MaintenanceGrpc;
import io.stele.protocol.etcd.PutRequest;
import io.stele.protocol.etcd.RangeRequest;
import io.stele.protocol.etcd.ResponseHeader;
import io.stele.protocol.etcd.TxnRequest;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What a server answers, as text without what is its own: ids, terms and remaining times. */
final class Answers {
  private static final long PATIENCE_SECONDS = 20;

  private Answers() {}

  static String ask(Channel channel, Message request) {
    try {
      return text(call(channel, request));
    } catch (StatusRuntimeException e) {
      return e.getStatus().getCode() + " " + e.getStatus().getDescription();
    }
  }

  /** The revision that an answer tells; 0 for an error. */
  static long revision(String answer) {
    int at = answer.indexOf("revision: ");
    if (!answer.startsWith("header") || at < 0) {
      return 0;
    }
    return Long.parseLong(answer.substring(at + 10).split("\\D", 2)[0]);
  }

  private static Message call(Channel channel, Message request) {
    return switch (request) {
      case PutRequest r -> call(channel, KVGrpc.getPutMethod(), r);
      case RangeRequest r -> call(channel, KVGrpc.getRangeMethod(), r);
      case DeleteRangeRequest r -> call(channel, KVGrpc.getDeleteRangeMethod(), r);
      case TxnRequest r -> call(channel, KVGrpc.getTxnMethod(), r);
      case CompactionRequest r -> call(channel, KVGrpc.getCompactMethod(), r);
      case LeaseGrantRequest r -> call(channel, LeaseGrpc.getLeaseGrantMethod(), r);
      case LeaseRevokeRequest r -> call(channel, LeaseGrpc.getLeaseRevokeMethod(), r);
      case LeaseTimeToLiveRequest r -> call(channel, LeaseGrpc.getLeaseTimeToLiveMethod(), r);
      case AlarmRequest r -> call(channel, MaintenanceGrpc.getAlarmMethod(), r);
      case AuthEnableRequest r -> call(channel, AuthGrpc.getAuthEnableMethod(), r);
      case AuthUserAddRequest r -> call(channel, AuthGrpc.getUserAddMethod(), r);
      case AuthUserGetRequest r -> call(channel, AuthGrpc.getUserGetMethod(), r);
      case AuthUserListRequest r -> call(channel, AuthGrpc.getUserListMethod(), r);
      case AuthUserGrantRoleRequest r -> call(channel, AuthGrpc.getUserGrantRoleMethod(), r);
      case AuthRoleAddRequest r -> call(channel, AuthGrpc.getRoleAddMethod(), r);
      case AuthRoleGetRequest r -> call(channel, AuthGrpc.getRoleGetMethod(), r);
      case AuthRoleListRequest r -> call(channel, AuthGrpc.getRoleListMethod(), r);
      case AuthRoleGrantPermissionRequest r ->
          call(channel, AuthGrpc.getRoleGrantPermissionMethod(), r);
      case AuthRoleRevokePermissionRequest r ->
          call(channel, AuthGrpc.getRoleRevokePermissionMethod(), r);
      default -> throw new AssertionError("no call for " + request.getClass());
    };
  }

  private static <Q, R> R call(Channel channel, MethodDescriptor<Q, R> method, Q request) {
    return ClientCalls.blockingUnaryCall(
        channel,
        method,
        io.grpc.CallOptions.DEFAULT.withDeadlineAfter(PATIENCE_SECONDS, TimeUnit.SECONDS),
        request);
  }

  private static String text(Message answer) {
    return own(answer).toString();
  }

  /** Of headers only the revision counts; of a lease's time only whether there is some. */
  private static Message own(Message message) {
    Message.Builder builder = message.toBuilder();
    for (FieldDescriptor field : message.getAllFields().keySet()) {
      Object value = message.getField(field);
      if (value instanceof ResponseHeader header) {
        builder.setField(
            field, ResponseHeader.newBuilder().setRevision(header.getRevision()).build());
      } else if (field.getName().equals("keys")) {
        builder.clearField(field); // a lease's, in no order
        ((List<?>) value)
            .stream()
                .map(ByteString.class::cast)
                .sorted(ByteString.unsignedLexicographicalComparator())
                .forEach(key -> builder.addRepeatedField(field, key));
      } else if (field.getName().equals("TTL")) {
        builder.setField(field, (long) value > 0 ? 1L : (long) value);
      } else if (field.isRepeated() && field.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
        builder.clearField(field);
        ((List<?>) value).forEach(each -> builder.addRepeatedField(field, own((Message) each)));
      } else if (value instanceof Message inner) {
        builder.setField(field, own(inner));
      }
    }
    return builder.build();
  }
}
