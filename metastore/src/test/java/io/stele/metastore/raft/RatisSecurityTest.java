package io.stele.metastore.raft;

import static io.stele.metastore.raft.TestMembers.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.tls.Identities;
import io.stele.base.tls.Tls;
import io.stele.metastore.raft.TestMembers.Node;
import io.stele.testkit.tls.TestCertificates;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Members that prove themselves to each other. */
class RatisSecurityTest {
  @TempDir Path root;

  /** What the member says first to somebody who has shaken hands. */
  private static int greeting(Member member, Tls tls) throws IOException {
    String address = member.raftAddress();
    int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    try (SSLSocket socket =
        (SSLSocket) tls.context().getSocketFactory().createSocket("127.0.0.1", port)) {
      SSLParameters parameters = socket.getSSLParameters();
      parameters.setApplicationProtocols(new String[] {"h2"});
      socket.setSSLParameters(parameters);
      socket.setSoTimeout(30_000);
      socket.startHandshake();
      return socket.getInputStream().read();
    }
  }

  @Test
  void membersReplicateByTlsAndSpeakWithNodesAlone() throws IOException {
    TestCertificates certificates = new TestCertificates(root);
    try (TestMembers members = new TestMembers(root)) {
      for (Node node : members.first(3)) {
        node.tls =
            Optional.of(
                Tls.open(certificates.node(node.member.id())).amongNodes(Identities.DEFAULT));
      }
      Node leader = members.start().leader();
      leader.put("a=1");
      for (Node node : members.nodes.values()) {
        until(() -> "1".equals(node.replica.get("a")));
      }

      assertThat(greeting(leader.member, Tls.open(certificates.node("other")))).isNotNegative();
      assertThatThrownBy(() -> greeting(leader.member, Tls.open(certificates.user("ann"))))
          .isInstanceOf(SSLException.class);
      assertThatThrownBy(() -> greeting(leader.member, Tls.open(certificates.anonymous())))
          .isInstanceOf(SSLException.class);
      assertThatThrownBy(() -> greeting(leader.member, Tls.open(certificates.stranger("m1"))))
          .isInstanceOf(SSLException.class);
    }
  }
}
