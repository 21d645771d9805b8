package io.stele.gateway.etcd.auth;

import com.google.protobuf.ByteString;
import io.stele.gateway.etcd.call.Ranges;
import io.stele.metastore.key.KeyRange;
import io.stele.protocol.etcd.Permission;

/** Permissions as they are sent. */
final class Permissions {
  private static final ByteString NO_END = ByteString.copyFrom(new byte[1]);

  private Permissions() {}

  static AuthState.Permission of(Permission permission) {
    boolean read = permission.getPermType() != Permission.Type.WRITE;
    boolean write = permission.getPermType() != Permission.Type.READ;
    return new AuthState.Permission(
        read, write, range(permission.getKey(), permission.getRangeEnd()));
  }

  static KeyRange range(ByteString key, ByteString end) {
    return Ranges.of(key, end);
  }

  static Permission wire(AuthState.Permission permission) {
    KeyRange range = permission.range();
    Permission.Builder wire =
        Permission.newBuilder()
            .setPermType(
                permission.read() && permission.write()
                    ? Permission.Type.READWRITE
                    : permission.read() ? Permission.Type.READ : Permission.Type.WRITE)
            .setKey(Ranges.bare(range.from()));
    if (!range.isSingle() && range.to() != null) {
      boolean endless = range.equals(Ranges.of(wire.getKey(), NO_END));
      wire.setRangeEnd(endless ? NO_END : Ranges.bare(range.to()));
    }
    return wire.build();
  }
}
