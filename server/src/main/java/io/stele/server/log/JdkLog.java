package io.stele.server.log;

import java.text.MessageFormat;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/** Passes on what libraries log by the JDK's own means, so that there is one log. */
public final class JdkLog extends Handler {
  private JdkLog() {}

  /** Has a logger, and those below it, write to Stele's log. */
  public static void replaceHandlers(Logger logger) {
    for (Handler handler : logger.getHandlers()) {
      logger.removeHandler(handler);
    }
    logger.addHandler(new JdkLog());
  }

  @Override
  public void publish(LogRecord said) {
    String name = said.getLoggerName() == null ? "jdk" : said.getLoggerName();
    LoggingEventBuilder line = LoggerFactory.getLogger(name).atLevel(level(said.getLevel()));
    if (said.getThrown() != null) {
      line = line.setCause(said.getThrown());
    }
    line.log(text(said));
  }

  private static org.slf4j.event.Level level(Level level) {
    if (level.intValue() >= Level.SEVERE.intValue()) {
      return org.slf4j.event.Level.ERROR;
    }
    return level.intValue() >= Level.WARNING.intValue()
        ? org.slf4j.event.Level.WARN
        : org.slf4j.event.Level.DEBUG;
  }

  private static String text(LogRecord said) {
    String message = String.valueOf(said.getMessage());
    Object[] parameters = said.getParameters();
    return parameters == null || parameters.length == 0
        ? message
        : MessageFormat.format(message, parameters);
  }

  @Override
  public void flush() {}

  @Override
  public void close() {}
}
