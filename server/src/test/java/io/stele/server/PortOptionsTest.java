package io.stele.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.settings.Settings;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** {@code --ports auto} picks the ports that nobody named. */
class PortOptionsTest {
  private static Settings up(String... options) throws IOException {
    UpCommand command = new UpCommand();
    new CommandLine(command).parseArgs(options);
    return command.settings(Map.of());
  }

  private static Settings server(String... options) throws IOException {
    ServerCommand command = new ServerCommand();
    new CommandLine(command).parseArgs(options);
    return command.settings(Map.of());
  }

  private static int etcdPort(Settings settings) {
    return settings.bind(EtcdSettings.class, ServerSchema.ETCD).port();
  }

  private static int port(Settings settings) {
    return settings.bind(ServerSettings.class, ServerSchema.SERVER).port();
  }

  @Test
  void aPortThatIsNamedIsTaken() throws IOException {
    for (Settings settings :
        new Settings[] {
          up("--ports", "auto", "--set", "etcd.port=2399"),
          server("--ports", "auto", "--set", "etcd.port=2399"),
          server("--ports", "auto", "--etcd", "2399")
        }) {
      assertThat(etcdPort(settings)).isEqualTo(2399);
      assertThat(port(settings)).isZero();
    }
  }

  @Test
  void theOthersAreAnyThatAreFree() throws IOException {
    assertThat(etcdPort(up("--ports", "auto"))).isZero();
    assertThat(etcdPort(server("--ports", "auto"))).isZero();
    assertThat(port(up("--ports", "auto", "--set", "server.port=7000"))).isEqualTo(7000);
  }

  @Test
  void aLostGroupIsTakenOverOnRequest() throws IOException {
    assertThat(
            server("--force-new-cluster")
                .bind(ServerSettings.class, ServerSchema.SERVER)
                .forceNewCluster())
        .isTrue();
  }
}
