package io.stele.gateway.etcd.auth;

import io.stele.base.time.Clock;
import io.stele.gateway.etcd.call.EtcdCaller;
import io.stele.gateway.etcd.call.EtcdCalls;
import io.stele.gateway.etcd.call.EtcdError;
import io.stele.metastore.Metastore;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;

/** Finds out who calls, and what that one may do, by the rights that were read last. */
public final class Access implements EtcdCalls.Callers {
  private final AuthStore store = new AuthStore();
  private final Credentials credentials;

  public Access(RandomGenerator random, Clock clock) {
    this.credentials = new Credentials(random, clock);
  }

  AuthStore store() {
    return store;
  }

  Credentials credentials() {
    return credentials;
  }

  @Override
  public CompletableFuture<Void> refresh(Metastore metastore) {
    return store.refresh(metastore);
  }

  /** One with a certificate has shown it to this member only. */
  @Override
  public Optional<String> token(EtcdCaller caller) {
    if (caller.token().isPresent() || caller.certified().isEmpty()) {
      return caller.token();
    }
    AuthState state = store.known();
    return state.enabled()
        ? caller.certified().map(name -> credentials.token(name, state.secret()))
        : Optional.empty();
  }

  /** What a caller may do; fails if it must say who it is and does not. */
  public Grant of(EtcdCaller caller) {
    AuthState state = store.known();
    if (!state.enabled()) {
      return Grant.OPEN;
    }
    if (caller.token().isEmpty()) {
      String name = caller.certified().orElseThrow(EtcdError.USER_EMPTY::exception);
      AuthState.User user = state.users().get(name);
      if (user == null) {
        throw EtcdError.PERMISSION_DENIED.exception();
      }
      return Grant.of(state, user);
    }
    Optional<AuthState.User> user =
        credentials.user(caller.token().get(), state.secret()).map(name -> state.users().get(name));
    return Grant.of(state, user.orElseThrow(EtcdError.INVALID_TOKEN::exception));
  }
}
