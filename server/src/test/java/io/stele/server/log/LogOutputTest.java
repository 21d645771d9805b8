package io.stele.server.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.settings.ByteSize;
import io.stele.base.text.JsonReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.event.KeyValuePair;

class LogOutputTest {
  @TempDir Path folder;

  private final LoggerContext context = new LoggerContext();

  LogOutputTest() {
    context.setMDCAdapter(new LogbackMDCAdapter());
  }

  @AfterEach
  void stop() {
    context.stop();
  }

  private static LogSettings settings(
      LogSettings.LogFormat format, Optional<Path> file, ByteSize size, int count) {
    return new LogSettings(
        format, file, size, count, LogSettings.LogLevel.INFO, Duration.ofSeconds(1));
  }

  @Test
  void aLineForProgramsIsAnObjectWithTheEventAndTheStackTrace() {
    LoggingEvent event =
        new LoggingEvent(
            "", context.getLogger("io.stele.x"), Level.ERROR, "it \"broke\"\nbadly", null, null);
    event.addKeyValuePair(new KeyValuePair("event", "TableEvent.Flushed"));
    event.setThrowableProxy(
        new ch.qos.logback.classic.spi.ThrowableProxy(new IllegalStateException("why")));

    String line = new String(new JsonLines().encode(event), StandardCharsets.UTF_8);

    assertThat(line).endsWith("\n").containsOnlyOnce("\n");
    Map<?, ?> read = (Map<?, ?>) JsonReader.read(line);
    assertThat(read.get("level")).isEqualTo("ERROR");
    assertThat(read.get("logger")).isEqualTo("io.stele.x");
    assertThat(read.get("event")).isEqualTo("TableEvent.Flushed");
    assertThat(read.get("message")).isEqualTo("it \"broke\"\nbadly");
    assertThat(read.get("stack")).asString().contains("IllegalStateException: why", "\tat ");
    assertThat(read.get("time")).asString().endsWith("Z");
  }

  @Test
  void filesAreRotatedBySizeAndTheOldestGoes() throws IOException {
    Path file = folder.resolve("stele.log");
    LogOutput.setUp(
        context, settings(LogSettings.LogFormat.TEXT, Optional.of(file), ByteSize.ofKiB(1), 2));

    for (int i = 0; i < 200; i++) {
      context.getLogger("io.stele.x").info("line {} {}", i, "x".repeat(100));
    }

    assertThat(file).content().contains("line 199");
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files.map(Path::getFileName).map(Path::toString))
          .containsExactlyInAnyOrder("stele.log", "stele.log.1", "stele.log.2");
    }
  }

  @Test
  void aFileHasLinesForProgramsUnlessToldOtherwise() throws IOException {
    Path file = folder.resolve("stele.log");
    LogOutput.setUp(
        context, settings(LogSettings.LogFormat.AUTO, Optional.of(file), ByteSize.ofMiB(1), 2));

    context.getLogger("io.stele.x").info("hello");
    context.getLogger("io.stele.x").debug("not at this level");
    context.getLogger("other").info("nor of others");

    assertThat(Files.readAllLines(file)).hasSize(1);
    assertThat(((Map<?, ?>) JsonReader.read(Files.readString(file))).get("message"))
        .isEqualTo("hello");
  }

  @Test
  void settingsThatCannotBeAreNamed() {
    assertThatThrownBy(
            () -> settings(LogSettings.LogFormat.AUTO, Optional.empty(), ByteSize.ofMiB(1), 21))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessage("log.file-count is 21: must be from 1 to 20");
  }
}
