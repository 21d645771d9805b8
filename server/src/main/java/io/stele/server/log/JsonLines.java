package io.stele.server.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.encoder.EncoderBase;
import io.stele.base.text.Json;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.event.KeyValuePair;

/**
 * A JSON object for each line of the log:
 *
 * <pre>{@code
 * {"time": "2026-11-18T20:00:00.123456Z", "level": "WARN", "logger": "io.stele.tables.event",
 *  "thread": "stele-upkeep", "event": "TableEvent.ClockBehind", "message": "the clock of …",
 *  "stack": "java.lang.IllegalStateException: …"}
 * }</pre>
 *
 * <p>{@code event} is there for events of Stele's own, {@code stack} for those with an exception.
 */
final class JsonLines extends EncoderBase<ILoggingEvent> {
  private static final byte[] NOTHING = {};

  @Override
  public byte[] headerBytes() {
    return NOTHING;
  }

  @Override
  public byte[] encode(ILoggingEvent event) {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("time", event.getInstant().toString());
    line.put("level", event.getLevel().toString());
    line.put("logger", event.getLoggerName());
    line.put("thread", event.getThreadName());
    if (event.getKeyValuePairs() != null) {
      for (KeyValuePair pair : event.getKeyValuePairs()) {
        line.put(pair.key, String.valueOf(pair.value));
      }
    }
    line.put("message", event.getFormattedMessage());
    if (event.getThrowableProxy() != null) {
      line.put("stack", ThrowableProxyUtil.asString(event.getThrowableProxy()));
    }
    return (Json.writeLine(line) + "\n").getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public byte[] footerBytes() {
    return NOTHING;
  }
}
