package io.stele.gateway.etcd.auth;

import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.ByteReader;
import io.stele.base.bytes.ByteReader.Malformed;
import io.stele.base.bytes.Bytes;
import io.stele.base.error.CorruptDataException;
import io.stele.metastore.command.FieldCodec;
import io.stele.metastore.key.KeyRange;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * All users and roles at one moment; the value of one key of the metastore.
 *
 * <pre>
 *   state      := version(1) enabled(1) revision secret(bytes) list of user, list of role
 *   user       := name(text) salt(bytes) hash(bytes) list of role name(text)
 *   role       := name(text) list of permission
 *   permission := read (bit 0) | write (bit 1), range                       (forms: FieldCodec)
 * </pre>
 *
 * @param revision grows with each change
 * @param secret with which tokens are signed; empty until there is a user
 */
record AuthState(
    boolean enabled,
    long revision,
    Bytes secret,
    NavigableMap<String, User> users,
    NavigableMap<String, Role> roles) {
  static final AuthState NONE =
      new AuthState(false, 1, Bytes.EMPTY, new TreeMap<>(), new TreeMap<>());

  /** Whoever has this role may do everything. */
  static final String ROOT = "root";

  private static final int VERSION = 1;
  private static final String NAME = "the users and roles of etcd's clients";

  /**
   * A user.
   *
   * @param hash of the password; empty for a user who has none and cannot authenticate with one
   */
  record User(String name, Bytes salt, Bytes hash, List<String> roles) {
    User {
      roles = List.copyOf(roles);
    }

    User withRoles(List<String> others) {
      return new User(name, salt, hash, others);
    }
  }

  record Role(String name, List<Permission> permissions) {
    Role {
      permissions = List.copyOf(permissions);
    }
  }

  record Permission(boolean read, boolean write, KeyRange range) {}

  AuthState with(
      boolean nowEnabled,
      NavigableMap<String, User> nowUsers,
      NavigableMap<String, Role> nowRoles) {
    return new AuthState(nowEnabled, revision + 1, secret, nowUsers, nowRoles);
  }

  AuthState withSecret(Bytes made) {
    return new AuthState(enabled, revision, made, users, roles);
  }

  Bytes encode() {
    ByteBuilder out = new ByteBuilder(256);
    out.putByte(VERSION);
    FieldCodec.putBoolean(out, enabled);
    out.putVarint(revision).putSized(secret);
    FieldCodec.putList(out, List.copyOf(users.values()), AuthState::putUser);
    FieldCodec.putList(out, List.copyOf(roles.values()), AuthState::putRole);
    return out.toBytes();
  }

  private static void putUser(ByteBuilder out, User user) {
    FieldCodec.putText(out, user.name());
    out.putSized(user.salt()).putSized(user.hash());
    FieldCodec.putList(out, user.roles(), FieldCodec::putText);
  }

  private static void putRole(ByteBuilder out, Role role) {
    FieldCodec.putText(out, role.name());
    FieldCodec.putList(
        out,
        role.permissions(),
        (to, permission) -> {
          to.putByte((permission.read() ? 1 : 0) | (permission.write() ? 2 : 0));
          FieldCodec.putRange(to, permission.range());
        });
  }

  static AuthState decode(Bytes stored) {
    ByteReader in = new ByteReader(stored.sharedArray(), 0, stored.length());
    try {
      int version = in.readByte();
      if (version != VERSION) {
        throw in.malformed("version " + version + " instead of " + VERSION);
      }
      boolean enabled = FieldCodec.readBoolean(in);
      long revision = in.readVarint();
      Bytes secret = in.readSized("secret");
      NavigableMap<String, User> users = new TreeMap<>();
      for (User user : FieldCodec.readList(in, "users", AuthState::readUser)) {
        users.put(user.name(), user);
      }
      NavigableMap<String, Role> roles = new TreeMap<>();
      for (Role role : FieldCodec.readList(in, "roles", AuthState::readRole)) {
        roles.put(role.name(), role);
      }
      return new AuthState(enabled, revision, secret, users, roles);
    } catch (Malformed e) {
      throw new CorruptDataException(NAME, e.offset(), "users and roles", e.problem());
    }
  }

  private static User readUser(ByteReader in) throws Malformed {
    return new User(
        FieldCodec.readText(in, "name"),
        in.readSized("salt"),
        in.readSized("hash"),
        FieldCodec.readList(in, "roles", item -> FieldCodec.readText(item, "role")));
  }

  private static Role readRole(ByteReader in) throws Malformed {
    String name = FieldCodec.readText(in, "name");
    List<Permission> permissions = new ArrayList<>();
    permissions.addAll(
        FieldCodec.readList(
            in,
            "permissions",
            item -> {
              int rights = item.readByte();
              return new Permission(
                  (rights & 1) != 0, (rights & 2) != 0, FieldCodec.readRange(item));
            }));
    return new Role(name, permissions);
  }
}
