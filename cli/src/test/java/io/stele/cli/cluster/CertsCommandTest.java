package io.stele.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.cli.CommandFixture;
import io.stele.cli.CommandFixture.Run;
import io.stele.cli.Connector;
import io.stele.cli.ExitCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CertsCommandTest {
  @TempDir Path folder;

  private final CommandFixture stele = new CommandFixture();

  private Run certs(String... arguments) {
    List<String> all = new ArrayList<>(List.of("cluster", "certs"));
    all.addAll(List.of(arguments));
    all.addAll(List.of("--dir", folder.toString()));
    return stele.run(all.toArray(String[]::new));
  }

  @Test
  void anAuthorityAndWhatItSigns() {
    assertThat(certs("init").out())
        .contains("authority  " + folder.resolve("authority.pem"))
        .contains("keep it away from servers");
    assertThat(certs("node", "db1", "--host", "10.0.0.1").out())
        .contains("node db1", folder.resolve("node-db1.pem").toString());
    assertThat(certs("client", "ann", "--output", "json").out())
        .contains("\"of\": \"client ann\"")
        .contains("\"key\": \"" + folder.resolve("client-ann.key") + "\"");
    assertThat(certs("ls").out()).contains("client ann", "node db1", "VALID UNTIL");
    assertThat(certs("renew").out()).isEqualTo("no certificate ends within 30 days\n");
    assertThat(certs("renew", "--within", "400").out()).contains("client ann", "node db1");
    assertThat(folder.resolve("node-db1.key")).exists();
    assertThat(Files.exists(folder.resolve("node-db1.key.new"))).isFalse();
  }

  @Test
  void whatIsWrongIsSaid() {
    Run none = certs("client", "ann");
    assertThat(none.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(none.err()).contains("has no authority.pem and authority.key");
    certs("init");
    assertThat(certs("init").err()).contains("has an authority");
    assertThat(certs("client", "a/b").err()).contains("must be 1 to 64 letters");
  }

  /** They are options of all commands that work on servers. */
  @Test
  void commandsTakeTheFiles() {
    assertThat(
            stele
                .run(
                    "table", "list", "--authority", "a.pem", "--certificate", "c.pem", "--key", "k")
                .err())
        .isEmpty();
    Connector.Request request = stele.requests.getLast();
    assertThat(request.tls().authority()).isEqualTo(Optional.of(Path.of("a.pem")));
    assertThat(request.tls().certificate()).isEqualTo(Optional.of(Path.of("c.pem")));
    assertThat(request.tls().key()).isEqualTo(Optional.of(Path.of("k")));
  }
}
