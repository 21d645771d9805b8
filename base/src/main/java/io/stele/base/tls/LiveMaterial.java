package io.stele.base.tls;

import io.stele.base.error.SteleException;
import io.stele.base.event.Event;
import io.stele.base.time.Clock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * What the files say now. They are looked at by those who ask, so that no thread and no watch of a
 * directory is needed, neither of which notices every way in which files are replaced.
 */
final class LiveMaterial {
  private static final long LOOK_EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** What was read, and how often something had been read by then. */
  record Generation(long number, TlsMaterial material) {}

  private final TlsFiles files;
  private final Clock clock;
  private final Consumer<Event> events;
  private volatile Generation current;
  private volatile Generation previous; // of handshakes that began before the last change
  private volatile long lookedAt;
  private List<String> seen; // guarded by this; how the files looked when they were last read

  LiveMaterial(TlsFiles files, Clock clock, Consumer<Event> events) {
    this.files = files;
    this.clock = clock;
    this.events = events;
    this.seen = looks();
    this.current = new Generation(0, TlsMaterial.read(files, now()));
    this.previous = current;
    this.lookedAt = clock.nanos();
  }

  private Instant now() {
    return Instant.EPOCH.plus(clock.micros(), ChronoUnit.MICROS);
  }

  Generation current() {
    if (clock.nanos() - lookedAt >= LOOK_EVERY_NANOS) {
      look();
    }
    return current;
  }

  /** What was read as this number; the newest where that is no longer known. */
  Generation of(long number) {
    Generation before = previous;
    return before.number() == number ? before : current;
  }

  private synchronized void look() {
    if (clock.nanos() - lookedAt < LOOK_EVERY_NANOS) {
      return; // another thread has looked meanwhile
    }
    lookedAt = clock.nanos();
    List<String> found = looks(); // before they are read: a later change is seen the next time
    if (found.equals(seen)) {
      return;
    }
    seen = found;
    try {
      TlsMaterial read = TlsMaterial.read(files, now());
      previous = current;
      current = new Generation(previous.number() + 1, read);
      events.accept(new TlsEvent.Reloaded(files, read.expires()));
    } catch (SteleException e) {
      events.accept(new TlsEvent.NotReloaded(files, String.valueOf(e.getMessage())));
    }
  }

  private List<String> looks() {
    return files.all().stream().map(LiveMaterial::look).toList();
  }

  /** Time, length and, where the file system has it, which file the name leads to. */
  private static String look(Path file) {
    try {
      BasicFileAttributes found = Files.readAttributes(file, BasicFileAttributes.class);
      return found.lastModifiedTime() + " " + found.size() + " " + found.fileKey();
    } catch (IOException e) {
      return "none";
    }
  }
}
