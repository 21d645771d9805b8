package io.stele.server.admin;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.UnavailableException;
import io.stele.gateway.admin.AdminAnswer;
import io.stele.gateway.admin.AdminPage;
import io.stele.gateway.admin.AdminRequest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * The levels of loggers, until the process ends. {@code GET /loggers} lists those that have one of
 * their own, {@code PUT /loggers/NAME} with {@code {"level": "DEBUG"}} sets one, and with {@code
 * {"level": null}} lets the logger have that of the one above it again.
 */
final class LogLevels implements AdminPage {
  static final String PATH = "/loggers";
  private static final List<String> LEVELS =
      List.of("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "OFF");

  @Override
  public AdminAnswer answer(AdminRequest request) {
    LoggerContext context = context();
    String name = request.path().substring(PATH.length()).replaceFirst("^/", "");
    if (!request.isGet()) {
      if (name.isEmpty()) {
        throw new InvalidRequestException("which logger? PUT /loggers/NAME, such as io.stele");
      }
      Map<String, @Nullable Object> fields = request.fields();
      if (!fields.containsKey("level")) {
        throw new InvalidRequestException("the body must be like {\"level\": \"DEBUG\"}");
      }
      context.getLogger(name).setLevel(level(name, fields.get("level")));
    }
    return AdminAnswer.json(name.isEmpty() ? levels(context) : level(context.getLogger(name)));
  }

  private static LoggerContext context() {
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
      return context;
    }
    throw new UnavailableException("levels are another logging library's than Stele's own");
  }

  private static @Nullable Level level(String name, @Nullable Object value) {
    if (value == null) {
      if (name.equals(Logger.ROOT_LOGGER_NAME)) {
        throw new InvalidRequestException("logger ROOT must have a level: one of " + LEVELS);
      }
      return null;
    }
    String level = String.valueOf(value).toUpperCase(Locale.ROOT);
    if (!LEVELS.contains(level)) {
      throw new InvalidRequestException(
          "level is '%s': must be one of %s, or null".formatted(value, LEVELS));
    }
    return Level.toLevel(level);
  }

  private static Map<String, Object> levels(LoggerContext context) {
    Map<String, Object> levels = new LinkedHashMap<>();
    for (Logger logger : context.getLoggerList()) {
      if (logger.getLevel() != null) {
        levels.put(logger.getName(), logger.getLevel().toString());
      }
    }
    return levels;
  }

  private static Map<String, Object> level(Logger logger) {
    Map<String, Object> level = new LinkedHashMap<>();
    level.put("logger", logger.getName());
    level.put("level", logger.getEffectiveLevel().toString());
    level.put("own", logger.getLevel() != null);
    return level;
  }
}
