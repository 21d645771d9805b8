package io.stele.replicas.push;

import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.ByteReader;
import io.stele.base.bytes.ByteReader.Malformed;
import io.stele.base.bytes.Crc32c;
import io.stele.base.error.CorruptDataException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.ReadableFile;
import io.stele.base.time.Clock;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * A hybrid logical clock: the times that a server gives to changes. They follow the machine's
 * clock, never go back, also over a restart, and are above every time that the server has heard of
 * from others: all that servers send each other carries the sender's time. So a change that is made
 * after another one was seen gets a later time, though the machines' clocks are minutes apart.
 *
 * <p>The file {@code clock} holds a mark above all times given out so far; it is moved ahead by
 * some seconds at a time, so it is written rarely. After a crash the clock starts from the mark.
 *
 * <pre>
 *   clock := magic "SHC1"(4) micros(8) crc32c of all before(4)
 * </pre>
 *
 * <p>A time that is more than an hour ahead of the machine's clock is not believed: one machine
 * with a broken clock must not take all others with it. Any thread.
 */
public final class HybridClock {
  private static final FilePath FILE = FilePath.of("clock");
  private static final int MAGIC = 'S' | 'H' << 8 | 'C' << 16 | '1' << 24;
  private static final int BYTES = 16;
  private static final long RESERVE_MICROS = TimeUnit.SECONDS.toMicros(10);
  private static final long MOST_AHEAD_MICROS = TimeUnit.HOURS.toMicros(1);

  private final FileStore files;
  private final Clock clock;
  private final Consumer<? super ReplicaEvent> events;
  private final AtomicLong last; // given out or heard of
  private final AtomicBoolean unbelieved = new AtomicBoolean();
  private volatile long reserved; // nothing above it was given out; in the file. Written under this

  /** The clock of a server, which goes on from the mark on its disk. */
  public HybridClock(FileStore files, Clock clock, Consumer<? super ReplicaEvent> events) {
    this.files = files;
    this.clock = clock;
    this.events = events;
    this.reserved = read();
    this.last = new AtomicLong(reserved);
  }

  /** The first of two times that are this caller's alone. */
  public long next() {
    long time = last.updateAndGet(before -> Math.max(before + 2, clock.micros()));
    if (time + 1 > reserved) {
      reserve(time + 1 + RESERVE_MICROS, time + 1);
    }
    return time;
  }

  /** The time that goes along with messages to others. */
  public long now() {
    return Math.max(last.get(), clock.micros());
  }

  /** Takes note of another server's time. */
  public void learn(long time) {
    if (time - clock.micros() <= MOST_AHEAD_MICROS) {
      last.accumulateAndGet(time, Math::max);
    } else if (unbelieved.compareAndSet(false, true)) {
      events.accept(new ReplicaEvent.ClockAhead((time - clock.micros()) / 1_000_000));
    }
  }

  /** Moves the mark ahead before a writer has to wait for it. */
  public void upkeep() {
    long now = last.get();
    long mark = reserved;
    if (now > mark - RESERVE_MICROS / 2 && mark != Long.MIN_VALUE) {
      reserve(now + RESERVE_MICROS, now + RESERVE_MICROS / 2);
    }
  }

  private synchronized void reserve(long mark, long atLeast) {
    if (reserved >= atLeast) {
      return; // another has done so
    }
    ByteBuilder out = new ByteBuilder(BYTES).putInt(MAGIC).putLong(mark);
    out.putInt(Crc32c.of(out.array(), 0, out.length()));
    try {
      files.replace(FILE, out.toArray());
    } catch (IOException e) {
      throw new UnavailableException(
          "the mark of the clock in " + files.describe() + "/" + FILE + " cannot be moved: " + e,
          e);
    }
    reserved = mark;
  }

  private long read() {
    String path = files.describe() + "/" + FILE;
    byte[] content;
    try (ReadableFile file = files.open(FILE)) {
      content = new byte[(int) Math.min(file.length(), BYTES)];
      file.read(0, content, 0, content.length);
    } catch (NoSuchFileException e) {
      return Long.MIN_VALUE;
    } catch (IOException e) {
      throw new UnavailableException(path + " cannot be read: " + e, e);
    }
    try {
      ByteReader in = new ByteReader(content, 0, content.length);
      int magic = in.readInt();
      long mark = in.readLong();
      int found = in.readInt();
      int expected = Crc32c.of(content, 0, BYTES - 4);
      if (magic != MAGIC || found != expected) {
        throw in.malformed("magic 0x%x, checksum 0x%x".formatted(magic, found));
      }
      return mark;
    } catch (Malformed e) {
      throw new CorruptDataException(path, e.offset(), "the mark of a clock", e.problem());
    }
  }
}
