package io.stele.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.InvalidRequestException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Which file {@code stele server} reads its settings from. */
class ConfigFileTest {
  @TempDir Path folder;

  private static int port(Map<String, String> environment, String... options) throws IOException {
    ServerCommand command = new ServerCommand();
    new CommandLine(command).parseArgs(options);
    return command.settings(environment).bind(ServerSettings.class, ServerSchema.SERVER).port();
  }

  private Path file(String name, int port) throws IOException {
    return Files.writeString(folder.resolve(name), "server.port = " + port + "\n");
  }

  @Test
  void theFileOfTheVariableIsReadWhereNoOptionNamesOne() throws IOException {
    Map<String, String> installed = Map.of("STELE_CONFIG", file("stele.conf", 7001).toString());

    assertThat(port(installed)).isEqualTo(7001);
    assertThat(port(installed, "--config", file("mine.conf", 7002).toString())).isEqualTo(7002);
    assertThat(port(Map.of("STELE_CONFIG", ""))).isEqualTo(ServerSettings.DEFAULT_PORT);
  }

  @Test
  void aFileThatIsNotThereIsNamedWithWhoNamedIt() {
    assertThatThrownBy(() -> port(Map.of("STELE_CONFIG", "/none.conf")))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessage("STELE_CONFIG=/none.conf: there is no such file");
    assertThatThrownBy(() -> port(Map.of(), "--config", "/none.conf"))
        .hasMessage("--config /none.conf: there is no such file");
  }
}
