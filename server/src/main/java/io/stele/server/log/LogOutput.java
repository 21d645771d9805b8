package io.stele.server.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.rolling.FixedWindowRollingPolicy;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.TriggeringPolicy;
import ch.qos.logback.core.rolling.TriggeringPolicyBase;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.LoggerFactory;

/**
 * Where log lines go: standard error or rotated files, for people or for programs. Until a server's
 * settings are known they go to standard error, as text.
 */
public final class LogOutput {
  private static final String STELE = "io.stele";
  private static final String LINE =
      "%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX} %-5level %logger{24}: %msg%n";

  private LogOutput() {}

  /** Text on standard error. */
  public static void setUp(LoggerContext context) {
    replace(context, console(context, text(context)));
    context.getLogger(STELE).setLevel(Level.INFO);
  }

  /** As the settings of a server say; nothing where the log is another library's. */
  public static void setUp(LogSettings settings) {
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
      setUp(context, settings);
    }
  }

  static void setUp(LoggerContext context, LogSettings settings) {
    boolean json =
        switch (settings.format()) {
          case TEXT -> false;
          case JSON -> true;
          case AUTO -> settings.file().isPresent() || !isTerminal();
        };
    Encoder<ILoggingEvent> encoder = json ? json(context) : text(context);
    replace(
        context,
        settings.file().isPresent()
            ? files(context, encoder, settings.file().get(), settings)
            : console(context, encoder));
    context.getLogger(STELE).setLevel(Level.toLevel(settings.level().name()));
  }

  private static void replace(LoggerContext context, Appender<ILoggingEvent> appender) {
    Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
    root.detachAndStopAllAppenders();
    root.setLevel(Level.WARN);
    root.addAppender(appender);
  }

  private static Encoder<ILoggingEvent> text(LoggerContext context) {
    PatternLayoutEncoder encoder = new PatternLayoutEncoder();
    encoder.setContext(context);
    encoder.setPattern(LINE);
    encoder.start();
    return encoder;
  }

  private static Encoder<ILoggingEvent> json(LoggerContext context) {
    JsonLines encoder = new JsonLines();
    encoder.setContext(context);
    encoder.start();
    return encoder;
  }

  private static Appender<ILoggingEvent> console(
      LoggerContext context, Encoder<ILoggingEvent> encoder) {
    ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
    appender.setContext(context);
    appender.setName("stderr");
    appender.setTarget("System.err");
    appender.setEncoder(encoder);
    appender.start();
    return appender;
  }

  /** {@code FILE}, then {@code FILE.1}, {@code FILE.2} and so on, the newest first. */
  private static Appender<ILoggingEvent> files(
      LoggerContext context, Encoder<ILoggingEvent> encoder, Path file, LogSettings settings) {
    RollingFileAppender<ILoggingEvent> appender = new RollingFileAppender<>();
    appender.setContext(context);
    appender.setName("file");
    appender.setFile(file.toString());
    FixedWindowRollingPolicy names = new FixedWindowRollingPolicy();
    names.setContext(context);
    names.setParent(appender);
    names.setFileNamePattern(file.toString().replace("%", "\\%") + ".%i");
    names.setMinIndex(1);
    names.setMaxIndex(settings.fileCount());
    names.start();
    TriggeringPolicy<ILoggingEvent> size = new BySize(settings.fileSize().bytes());
    size.start();
    appender.setRollingPolicy(names);
    appender.setTriggeringPolicy(size);
    appender.setEncoder(encoder);
    appender.start();
    return appender;
  }

  /** Looks at the size before every line: what logback has for this looks once a minute. */
  private static final class BySize extends TriggeringPolicyBase<ILoggingEvent> {
    private final long bytes;

    BySize(long bytes) {
      this.bytes = bytes;
    }

    @Override
    public boolean isTriggeringEvent(File current, ILoggingEvent event) {
      return current.length() >= bytes;
    }
  }

  /** Of standard error alone: the JVM's console is there only if input and output are terminals. */
  @SuppressWarnings("SystemConsoleNull") // it may yet, by the property jdk.console
  private static boolean isTerminal() {
    try {
      String target = Files.readSymbolicLink(Path.of("/proc/self/fd/2")).toString();
      return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
    } catch (IOException | UnsupportedOperationException e) {
      return System.console() != null && System.console().isTerminal(); // a system without /proc
    }
  }
}
