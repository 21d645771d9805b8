package io.stele.server;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.settings.Settings;
import io.stele.metastore.raft.RaftSettings;
import io.stele.server.admin.AdminSettings;
import java.net.InetAddress;
import java.net.UnknownHostException;

/** Refuses to listen beyond this machine without TLS. */
final class Exposure {
  private Exposure() {}

  /**
   * Checks the settings of a server that is about to listen.
   *
   * @throws InvalidRequestException if others could reach it, and it could not tell who they are
   */
  static void check(Settings settings) {
    ServerSettings server = settings.bind(ServerSettings.class, ServerSchema.SERVER);
    boolean secured = settings.bind(TlsSettings.class, ServerSchema.TLS).certificate().isPresent();
    if (secured || server.insecure()) {
      return;
    }
    refuse("server.listen", server.listen());
    AdminSettings admin = settings.bind(AdminSettings.class, ServerSchema.ADMIN);
    if (admin.enabled()) {
      refuse("admin.listen", admin.listen());
    }
    String raft = settings.bind(RaftSettings.class, ServerSchema.RAFT).listenHost();
    if (!raft.isEmpty() && server.has(Role.METASTORE)) {
      refuse("metastore.raft.listen-host", raft);
    }
  }

  private static void refuse(String setting, String host) {
    if (!isLoopback(host)) {
      throw new InvalidRequestException(
          "%s is %s, which other machines can reach, and tls.certificate is not set: they could all read and change everything. Set tls.certificate, tls.key and tls.authority (`stele cluster certs` makes such files), or accept it with --insecure (server.insecure=true)"
              .formatted(setting, host));
    }
  }

  /** A name that is not known here is left to be refused when it is listened on. */
  private static boolean isLoopback(String host) {
    try {
      return InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return true;
    }
  }
}
