package io.stele.gateway.etcd.auth;

import io.stele.base.bytes.Bytes;
import io.stele.gateway.etcd.auth.AuthState.Permission;
import io.stele.gateway.etcd.auth.AuthState.Role;
import io.stele.gateway.etcd.auth.AuthState.User;
import io.stele.gateway.etcd.call.EtcdError;
import io.stele.metastore.key.KeyRange;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/** What can be done to users and roles: each takes a state and gives another, or refuses. */
final class AuthChanges {
  private final Credentials credentials;

  AuthChanges(Credentials credentials) {
    this.credentials = credentials;
  }

  static User user(AuthState state, String name) {
    User user = state.users().get(name);
    if (user == null) {
      throw EtcdError.USER_NOT_FOUND.exception();
    }
    return user;
  }

  static Role role(AuthState state, String name) {
    Role role = state.roles().get(name);
    if (role == null) {
      throw EtcdError.ROLE_NOT_FOUND.exception();
    }
    return role;
  }

  private static AuthState with(AuthState state, User user) {
    NavigableMap<String, User> users = new TreeMap<>(state.users());
    users.put(user.name(), user);
    return state.with(state.enabled(), users, state.roles());
  }

  private static AuthState with(AuthState state, Role role) {
    NavigableMap<String, Role> roles = new TreeMap<>(state.roles());
    roles.put(role.name(), role);
    return state.with(state.enabled(), state.users(), roles);
  }

  // ---- whether users count

  static AuthState enable(AuthState state) {
    User root = state.users().get(AuthState.ROOT);
    if (root == null) {
      throw EtcdError.ROOT_USER_ABSENT.exception();
    }
    if (!root.roles().contains(AuthState.ROOT)) {
      throw EtcdError.ROOT_ROLE_ABSENT.exception();
    }
    return state.with(true, state.users(), state.roles());
  }

  static AuthState disable(AuthState state) {
    return state.with(false, state.users(), state.roles());
  }

  private static void checkNotRoot(AuthState state, String name) {
    if (state.enabled() && name.equals(AuthState.ROOT)) {
      throw EtcdError.INVALID_AUTH_MANAGEMENT.exception();
    }
  }

  // ---- users

  AuthState addUser(AuthState state, String name, String password, boolean noPassword) {
    if (name.isEmpty()) {
      throw EtcdError.USER_EMPTY.exception();
    }
    if (state.users().containsKey(name)) {
      throw EtcdError.USER_EXISTS.exception();
    }
    AuthState signed = state.secret().isEmpty() ? state.withSecret(credentials.newSecret()) : state;
    Bytes salt = credentials.newSalt();
    Bytes hash = noPassword ? Bytes.EMPTY : Credentials.hash(password, salt);
    return with(signed, new User(name, salt, hash, List.of()));
  }

  AuthState changePassword(AuthState state, String name, String password) {
    User user = user(state, name);
    Bytes salt = credentials.newSalt();
    return with(state, new User(name, salt, Credentials.hash(password, salt), user.roles()));
  }

  static AuthState deleteUser(AuthState state, String name) {
    checkNotRoot(state, name);
    user(state, name);
    NavigableMap<String, User> users = new TreeMap<>(state.users());
    users.remove(name);
    return state.with(state.enabled(), users, state.roles());
  }

  static AuthState grantRole(AuthState state, String name, String role) {
    User user = user(state, name);
    if (!role.equals(AuthState.ROOT)) {
      role(state, role);
    }
    List<String> roles = new ArrayList<>(user.roles());
    if (!roles.contains(role)) {
      roles.add(role);
      roles.sort(null);
    }
    return with(state, user.withRoles(roles));
  }

  static AuthState revokeRole(AuthState state, String name, String role) {
    if (role.equals(AuthState.ROOT)) {
      checkNotRoot(state, name);
    }
    User user = user(state, name);
    List<String> roles = new ArrayList<>(user.roles());
    if (!roles.remove(role)) {
      throw EtcdError.ROLE_NOT_GRANTED.exception();
    }
    return with(state, user.withRoles(roles));
  }

  // ---- roles

  static AuthState addRole(AuthState state, String name) {
    if (name.isEmpty()) {
      throw EtcdError.ROLE_EMPTY.exception();
    }
    if (state.roles().containsKey(name)) {
      throw EtcdError.ROLE_EXISTS.exception();
    }
    return with(state, new Role(name, List.of()));
  }

  static AuthState deleteRole(AuthState state, String name) {
    checkNotRoot(state, name);
    role(state, name);
    NavigableMap<String, Role> roles = new TreeMap<>(state.roles());
    roles.remove(name);
    NavigableMap<String, User> users = new TreeMap<>();
    for (User user : state.users().values()) {
      users.put(
          user.name(),
          user.withRoles(user.roles().stream().filter(role -> !role.equals(name)).toList()));
    }
    return state.with(state.enabled(), users, roles);
  }

  /** Takes the place of what was granted for the same keys. */
  static AuthState grant(AuthState state, String name, Permission permission) {
    Role role = role(state, name);
    List<Permission> permissions = new ArrayList<>(role.permissions());
    permissions.removeIf(other -> other.range().equals(permission.range()));
    permissions.add(permission);
    permissions.sort(Comparator.comparing(other -> other.range().from())); // as etcd lists them
    return with(state, new Role(name, permissions));
  }

  static AuthState revoke(AuthState state, String name, KeyRange range) {
    Role role = role(state, name);
    List<Permission> permissions = new ArrayList<>(role.permissions());
    if (!permissions.removeIf(permission -> permission.range().equals(range))) {
      throw EtcdError.PERMISSION_NOT_GRANTED.exception();
    }
    return with(state, new Role(name, permissions));
  }
}
