package io.stele.gateway.etcd.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.CorruptDataException;
import io.stele.metastore.key.KeyRange;
import io.stele.testkit.golden.FormatFile;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class AuthStateTest {
  private static AuthState state() {
    NavigableMap<String, AuthState.User> users = new TreeMap<>();
    users.put(
        "größe",
        new AuthState.User(
            "größe", Bytes.utf8("salt"), Bytes.utf8("hash"), List.of("root", "reader")));
    users.put("none", new AuthState.User("none", Bytes.EMPTY, Bytes.EMPTY, List.of()));
    NavigableMap<String, AuthState.Role> roles = new TreeMap<>();
    roles.put("root", new AuthState.Role("root", List.of()));
    roles.put(
        "reader",
        new AuthState.Role(
            "reader",
            List.of(
                new AuthState.Permission(true, false, KeyRange.of(Bytes.utf8("ekey"))),
                new AuthState.Permission(false, true, new KeyRange(Bytes.utf8("ea"), null)),
                new AuthState.Permission(true, true, KeyRange.prefix(Bytes.utf8("eb"))))));
    return new AuthState(true, 300, Bytes.utf8("secret"), users, roles);
  }

  /** Users and roles of version 1, which are read for ever. */
  @Test
  void version1() {
    byte[] stored = FormatFile.read("etcd-auth-v1.bin", state().encode().toArray());
    assertThat(AuthState.decode(Bytes.wrap(stored))).isEqualTo(state());
  }

  @Test
  void otherVersionsAndDamageAreFoundOut() {
    byte[] other = state().encode().toArray();
    other[0] = 2;
    assertThatThrownBy(() -> AuthState.decode(Bytes.wrap(other)))
        .isInstanceOf(CorruptDataException.class)
        .hasMessageContaining("version 2 instead of 1");
    byte[] cut = Arrays.copyOf(state().encode().toArray(), 40);
    assertThatThrownBy(() -> AuthState.decode(Bytes.wrap(cut)))
        .isInstanceOf(CorruptDataException.class);
  }
}
