package io.stele.server;

import io.stele.base.event.Event;
import io.stele.base.event.Events;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/** Writes events to the log, each under the name of its component. */
final class EventLog {

  private EventLog() {}

  /** A bus whose events are all logged. */
  static Events events() {
    return events(EventLog::level);
  }

  /** A bus for an application of whose output we are a guest: only what is wrong is told. */
  static Events quietEvents() {
    return events(event -> event.level() == Event.Level.INFO ? Level.DEBUG : level(event));
  }

  private static Events events(Function<Event, Level> levels) {
    Events events =
        new Events(
            (event, failure) ->
                LoggerFactory.getLogger(EventLog.class)
                    .error("a subscriber failed on: {}", event.text(), failure));
    // Never closed: the log takes events until the process ends.
    events.subscribe(Event.class, event -> write(event, levels.apply(event)));
    return events;
  }

  private static void write(Event event, Level level) {
    Logger logger = LoggerFactory.getLogger(event.getClass().getPackageName());
    LoggingEventBuilder line = logger.atLevel(level).addKeyValue("event", name(event.getClass()));
    Optional<Throwable> trace = event.trace();
    if (trace.isPresent()) {
      line = line.setCause(trace.get());
    }
    line.log(event.text());
  }

  /** As the source has it, such as TableEvent.Flushed. */
  private static String name(Class<?> type) {
    Class<?> outer = type.getEnclosingClass();
    return (outer == null ? "" : outer.getSimpleName() + ".") + type.getSimpleName();
  }

  private static Level level(Event event) {
    return switch (event.level()) {
      case DEBUG -> Level.DEBUG;
      case INFO -> Level.INFO;
      case WARN -> Level.WARN;
      case ERROR -> Level.ERROR;
    };
  }
}
