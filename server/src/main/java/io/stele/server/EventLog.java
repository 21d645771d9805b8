package io.stele.server;

import io.stele.base.event.Event;
import io.stele.base.event.Events;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

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
    logger.atLevel(level).log(event.text());
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
