package io.stele.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServerProbeTest {

  /** Nobody listens at it once it is closed. */
  private static String freeAddress() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return "127.0.0.1:" + socket.getLocalPort();
    }
  }

  @Timeout(8) // commands try for 10 s where somebody may answer
  @ParameterizedTest
  @ValueSource(strings = {"scan users", "get users 42", "table list", "metastore get /a"})
  void withoutAServerACommandFailsAtOnceInOneSentence(String command) throws IOException {
    String address = freeAddress();
    StringWriter err = new StringWriter();
    String[] arguments =
        Stream.concat(Stream.of(command.split(" ", -1)), Stream.of("--endpoints", address))
            .toArray(String[]::new);

    int exitCode = Main.run(new PrintWriter(new StringWriter()), new PrintWriter(err), arguments);

    assertThat(exitCode).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(err.toString())
        .endsWith(
            ": no server at %s (connection refused). Start one with `stele up`, or name another by --endpoints or STELE_ENDPOINTS\n"
                .formatted(address))
        .hasLineCount(1);
  }

  @Test
  void oneServerOfSeveralSuffices() throws IOException {
    try (ServerSocket there = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      List<String> addresses = List.of(freeAddress(), "127.0.0.1:" + there.getLocalPort());

      assertThatCode(() -> ServerProbe.requireOne(addresses)).doesNotThrowAnyException();
    }
  }
}
