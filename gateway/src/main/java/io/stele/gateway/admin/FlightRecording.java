package io.stele.gateway.admin;

import io.stele.base.error.ConflictException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.settings.ByteSize;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.ParseException;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import jdk.jfr.Configuration;
import jdk.jfr.Recording;
import org.jspecify.annotations.Nullable;

/**
 * {@code POST /jfr} with {@code {"seconds": 30, "settings": "default"}}: records what the JVM does
 * with JDK Flight Recorder for that time, then answers the file. One recording at a time, of at
 * most {@value #MOST_SECONDS} seconds; the oldest events go when there are too many bytes.
 */
public final class FlightRecording implements AdminPage {
  private static final int USUAL_SECONDS = 30;
  private static final int MOST_SECONDS = 600;
  private static final ByteSize MOST_BYTES = ByteSize.ofMiB(256);
  private static final Set<String> SETTINGS = Set.of("default", "profile");

  private final AtomicBoolean recording = new AtomicBoolean();

  @Override
  public AdminAnswer answer(AdminRequest request) throws IOException, InterruptedException {
    Map<String, @Nullable Object> fields = request.fields();
    long seconds = seconds(fields.getOrDefault("seconds", USUAL_SECONDS));
    String settings = String.valueOf(fields.getOrDefault("settings", "default"));
    if (!SETTINGS.contains(settings)) {
      throw new InvalidRequestException(
          "settings is '%s': must be one of %s".formatted(settings, new TreeSet<>(SETTINGS)));
    }
    if (!recording.compareAndSet(false, true)) {
      throw new ConflictException("a recording is under way: try again when it has ended");
    }
    try {
      return record(seconds, settings);
    } finally {
      recording.set(false);
    }
  }

  private static long seconds(@Nullable Object value) {
    long seconds = value instanceof Number number ? number.longValue() : 0;
    if (seconds < 1 || seconds > MOST_SECONDS) {
      throw new InvalidRequestException(
          "seconds is %s: must be a number from 1 to %d".formatted(value, MOST_SECONDS));
    }
    return seconds;
  }

  private static AdminAnswer record(long seconds, String settings)
      throws IOException, InterruptedException {
    Path file = Files.createTempFile("stele", ".jfr");
    boolean written = false;
    try (Recording running = new Recording(Configuration.getConfiguration(settings))) {
      running.setMaxSize(MOST_BYTES.bytes());
      running.start();
      boolean _ =
          new CountDownLatch(1).await(seconds, TimeUnit.SECONDS); // ends when the server does
      running.stop();
      running.dump(file);
      written = true;
      return new AdminAnswer.Download(file, "application/octet-stream", "stele.jfr");
    } catch (ParseException e) {
      throw new IOException("settings '" + settings + "' of the JDK cannot be read", e);
    } finally {
      if (!written) {
        Files.deleteIfExists(file);
      }
    }
  }
}
