package io.stele.base.tls;

import io.stele.base.tls.LiveMaterial.Generation;
import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.Optional;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/**
 * The certificate and key of a {@link LiveMaterial}. A handshake asks for an alias first and for
 * the certificate and the key later: an alias is therefore {@code GENERATION:NAME}, so that one
 * handshake gets both from the same files.
 */
final class LiveKeys extends X509ExtendedKeyManager {
  private final LiveMaterial material;

  LiveKeys(LiveMaterial material) {
    this.material = material;
  }

  /** The newest. */
  Optional<X509Certificate> certificate() {
    return material
        .current()
        .material()
        .keys()
        .map(keys -> keys.getCertificateChain("own"))
        .map(chain -> chain[0]);
  }

  private interface Choice {
    @Nullable String of(X509ExtendedKeyManager keys);
  }

  private @Nullable String choose(Choice choice) {
    Generation now = material.current();
    Optional<X509ExtendedKeyManager> keys = now.material().keys();
    @Nullable String alias = keys.isEmpty() ? null : choice.of(keys.get());
    return alias == null ? null : now.number() + ":" + alias;
  }

  private interface NamedChoice<T> {
    @Nullable T of(X509ExtendedKeyManager keys, String name);
  }

  private <T> @Nullable T find(@Nullable String alias, NamedChoice<T> choice) {
    int colon = alias == null ? -1 : alias.indexOf(':');
    if (alias == null || colon < 0) {
      return null;
    }
    Generation then = material.of(Long.parseLong(alias.substring(0, colon)));
    Optional<X509ExtendedKeyManager> keys = then.material().keys();
    return keys.isEmpty() ? null : choice.of(keys.get(), alias.substring(colon + 1));
  }

  @Override
  public @Nullable String chooseEngineClientAlias(
      String[] keyTypes, Principal @Nullable [] issuers, SSLEngine engine) {
    return choose(keys -> keys.chooseEngineClientAlias(keyTypes, issuers, engine));
  }

  @Override
  public @Nullable String chooseEngineServerAlias(
      String keyType, Principal @Nullable [] issuers, SSLEngine engine) {
    return choose(keys -> keys.chooseEngineServerAlias(keyType, issuers, engine));
  }

  @Override
  public @Nullable String chooseClientAlias(
      String[] keyTypes, Principal @Nullable [] issuers, Socket socket) {
    return choose(keys -> keys.chooseClientAlias(keyTypes, issuers, socket));
  }

  @Override
  public @Nullable String chooseServerAlias(
      String keyType, Principal @Nullable [] issuers, Socket socket) {
    return choose(keys -> keys.chooseServerAlias(keyType, issuers, socket));
  }

  @Override
  public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
    String alias = choose(keys -> first(keys.getClientAliases(keyType, issuers)));
    return alias == null ? null : new String[] {alias};
  }

  @Override
  public String @Nullable [] getServerAliases(String keyType, Principal @Nullable [] issuers) {
    String alias = choose(keys -> first(keys.getServerAliases(keyType, issuers)));
    return alias == null ? null : new String[] {alias};
  }

  private static @Nullable String first(String @Nullable [] aliases) {
    return aliases == null || aliases.length == 0 ? null : aliases[0];
  }

  @Override
  public X509Certificate @Nullable [] getCertificateChain(String alias) {
    return find(alias, X509ExtendedKeyManager::getCertificateChain);
  }

  @Override
  public @Nullable PrivateKey getPrivateKey(String alias) {
    return find(alias, X509ExtendedKeyManager::getPrivateKey);
  }
}
