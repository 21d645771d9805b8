package io.stele.it.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.tls.ClientCertificates;
import io.stele.base.tls.Identities;
import io.stele.base.tls.Tls;
import io.stele.base.tls.TlsFiles;
import io.stele.gateway.security.PortSecurity;
import io.stele.testkit.process.Program;
import io.stele.testkit.run.Needs;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Connections that are secured, with certificates on both sides. */
class TlsIT {
  @TempDir private Path directory;

  private String file(String name) {
    return directory.resolve(name).toString();
  }

  /** A certificate for 127.0.0.1, signed by the authority of the same directory. */
  private void certify(String name) throws Exception {
    Files.writeString(
        directory.resolve(name + ".ext"),
        "subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth,clientAuth\n");
    Program.succeed(
        "openssl",
        "req",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-subj",
        "/CN=" + name,
        "-keyout",
        file(name + ".key"),
        "-out",
        file(name + ".csr"));
    Program.succeed(
        "openssl",
        "x509",
        "-req",
        "-in",
        file(name + ".csr"),
        "-CA",
        file("ca.pem"),
        "-CAkey",
        file("ca.key"),
        "-CAcreateserial",
        "-days",
        "2",
        "-extfile",
        file(name + ".ext"),
        "-out",
        file(name + ".pem"));
  }

  /** A node that demands certificates of the authority, which is made with all it has signed. */
  private SteleNode start(String... clients) throws Exception {
    Etcdctl.require();
    Needs.program("openssl", "openssl");
    Needs.program("curl", "curl");
    Program.succeed(
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "2",
        "-subj",
        "/CN=authority",
        "-keyout",
        file("ca.key"),
        "-out",
        file("ca.pem"));
    certify("server");
    for (String client : clients) {
      certify(client);
    }
    TlsFiles files =
        TlsFiles.of(
            directory.resolve("server.pem"),
            directory.resolve("server.key"),
            directory.resolve("ca.pem"));
    return SteleNode.start(
        directory,
        new PortSecurity(Tls.open(files), ClientCertificates.REQUIRED, Identities.DEFAULT));
  }

  private Etcdctl etcdctl(SteleNode node, String client) {
    return new Etcdctl(
        "https://" + node.address(),
        "--cacert",
        file("ca.pem"),
        "--cert",
        file(client + ".pem"),
        "--key",
        file(client + ".key"));
  }

  /** As curl prints it. */
  private String post(SteleNode node, String client, String path, String body) {
    return Program.of(
            "curl",
            "--silent",
            "--show-error",
            "--cacert",
            file("ca.pem"),
            "--cert",
            file(client + ".pem"),
            "--key",
            file(client + ".key"),
            "--data",
            body,
            "https://" + node.address() + path)
        .run()
        .said();
  }

  /** The name in a certificate is the user, as in etcd; JSON needs a token all the same. */
  @Test
  void theNameOfACertificateIsAUser() throws Exception {
    try (SteleNode node = start("root", "ann", "stranger")) {
      Etcdctl root = etcdctl(node, "root");
      root.run("user", "add", "root:secret");
      root.run("user", "grant-role", "root", "root");
      root.run("role", "add", "reader");
      root.run("role", "grant-permission", "reader", "read", "public/", "--prefix");
      root.run("user", "add", "ann:pass");
      root.run("user", "grant-role", "ann", "reader");
      assertThat(root.run("auth", "enable")).isEqualTo("Authentication Enabled");

      assertThat(root.run("put", "public/a", "1")).isEqualTo("OK");
      Etcdctl ann = etcdctl(node, "ann");
      assertThat(ann.run("get", "public/a")).isEqualTo("public/a\n1");
      assertThat(ann.run("put", "public/a", "2")).isEqualTo("Error: etcdserver: permission denied");
      assertThat(ann.as("root:secret").run("put", "public/a", "2")).as("a token").isEqualTo("OK");
      assertThat(etcdctl(node, "stranger").run("get", "public/a"))
          .isEqualTo("Error: etcdserver: permission denied");
      assertThat(post(node, "ann", "/v3/kv/range", "{\"key\":\"cHVibGljL2E=\"}"))
          .contains("etcdserver: user name is empty");
    }
  }

  @Test
  void jsonIsSecuredToo() throws Exception {
    try (SteleNode node = start("client")) {
      assertThat(post(node, "client", "/v3/kv/put", "{\"key\":\"YQ==\",\"value\":\"MQ==\"}"))
          .contains("\"revision\":\"2\"");
      assertThat(post(node, "client", "/v3/kv/range", "{\"key\":\"YQ==\"}"))
          .contains("\"value\":\"MQ==\"");
      assertThat(etcdctl(node, "client").run("get", "a")).isEqualTo("a\n1");
    }
  }

  @Test
  void onlyWhoHasACertificateOfTheAuthorityIsAnswered() throws Exception {
    try (SteleNode node = start("client")) {
      String endpoint = "https://" + node.address();
      Etcdctl known = etcdctl(node, "client");
      assertThat(known.run("put", "a", "1")).isEqualTo("OK");
      assertThat(known.run("get", "a")).isEqualTo("a\n1");
      Etcdctl unknown = new Etcdctl(endpoint, "--cacert", file("ca.pem"), "--command-timeout=1s");
      assertThat(unknown.run("get", "a")).startsWith("Error:");
      Etcdctl plain = new Etcdctl("http://" + node.address(), "--command-timeout=1s");
      assertThat(plain.run("get", "a")).startsWith("Error:");
    }
  }
}
