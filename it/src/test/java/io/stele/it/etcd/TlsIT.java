package io.stele.it.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.stele.gateway.etcd.EtcdTls;
import io.stele.it.Programs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
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
    Programs.run(
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
    Programs.run(
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

  @Test
  void onlyWhoHasACertificateOfTheAuthorityIsAnswered() throws Exception {
    assumeTrue(Programs.exists("etcdctl"), "no program etcdctl is installed");
    assumeTrue(Programs.exists("openssl"), "no program openssl is installed");
    Programs.run(
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
    certify("client");
    EtcdTls tls =
        new EtcdTls(
            directory.resolve("server.pem"),
            directory.resolve("server.key"),
            Optional.of(directory.resolve("ca.pem")));
    try (SteleNode node = SteleNode.start(directory, tls)) {
      String endpoint = "https://" + node.address();
      Etcdctl known =
          new Etcdctl(
              endpoint,
              "--cacert",
              file("ca.pem"),
              "--cert",
              file("client.pem"),
              "--key",
              file("client.key"));
      assertThat(known.run("put", "a", "1")).isEqualTo("OK");
      assertThat(known.run("get", "a")).isEqualTo("a\n1");
      Etcdctl unknown = new Etcdctl(endpoint, "--cacert", file("ca.pem"), "--command-timeout=1s");
      assertThat(unknown.run("get", "a")).startsWith("Error:");
      Etcdctl plain = new Etcdctl("http://" + node.address(), "--command-timeout=1s");
      assertThat(plain.run("get", "a")).startsWith("Error:");
    }
  }
}
