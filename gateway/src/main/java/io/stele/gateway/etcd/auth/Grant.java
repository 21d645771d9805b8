package io.stele.gateway.etcd.auth;

import io.stele.base.bytes.Bytes;
import io.stele.gateway.etcd.call.EtcdError;
import io.stele.metastore.key.KeyRange;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one caller may do. Where nobody has to authenticate, that is everything.
 *
 * @param principal the user; empty where nobody has to say who it is
 * @param all whether it may do everything
 */
public record Grant(String principal, boolean all, List<KeyRange> reads, List<KeyRange> writes) {
  static final Grant OPEN = new Grant("", true, List.of(), List.of());

  public Grant {
    reads = List.copyOf(reads);
    writes = List.copyOf(writes);
  }

  static Grant of(AuthState state, AuthState.User user) {
    if (user.roles().contains(AuthState.ROOT)) {
      return new Grant(user.name(), true, List.of(), List.of());
    }
    List<KeyRange> reads = new ArrayList<>();
    List<KeyRange> writes = new ArrayList<>();
    for (String name : user.roles()) {
      AuthState.Role role = state.roles().get(name);
      if (role != null) {
        for (AuthState.Permission permission : role.permissions()) {
          if (permission.read()) {
            reads.add(permission.range());
          }
          if (permission.write()) {
            writes.add(permission.range());
          }
        }
      }
    }
    return new Grant(user.name(), false, reads, writes);
  }

  public void checkRead(KeyRange range) {
    check(all || covered(range, reads));
  }

  public void checkWrite(KeyRange range) {
    check(all || covered(range, writes));
  }

  /** For what is about more than keys. */
  public void checkAdmin() {
    check(all);
  }

  private static void check(boolean allowed) {
    if (!allowed) {
      throw EtcdError.PERMISSION_DENIED.exception();
    }
  }

  /** Whether ranges that may overlap cover one without a gap. */
  private static boolean covered(KeyRange wanted, List<KeyRange> ranges) {
    if (wanted.isEmpty()) {
      return true;
    }
    List<KeyRange> sorted = new ArrayList<>(ranges);
    sorted.sort(Comparator.comparing(KeyRange::from));
    Bytes end = wanted.to();
    Bytes at = wanted.from(); // all before it is covered
    for (KeyRange range : sorted) {
      if (range.from().compareTo(at) > 0) {
        break;
      }
      @Nullable Bytes to = range.to();
      if (to == null) {
        return true;
      }
      if (to.compareTo(at) > 0) {
        at = to;
      }
    }
    return end != null && at.compareTo(end) >= 0;
  }
}
