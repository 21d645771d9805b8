package io.stele.metastore.raft;

import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.ByteReader;
import io.stele.base.error.CorruptDataException;
import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.recordlog.RecordLogReader;
import io.stele.base.recordlog.RecordLogWriter;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The files of a single member's log: {@code log/0000000001.log} and so on, record logs (see {@link
 * RecordLogWriter}) of {@link SoloRecord}s. One thread at a time.
 */
final class SoloSegments {
  static final FilePath DIRECTORY = FilePath.of("log");

  private record Closed(FilePath path, long lastIndex, long bytes) {}

  private final FileStore files;
  private final SoloSettings settings;
  private final ByteBuilder record = new ByteBuilder(1 << 12);
  private final Deque<Closed> closed = new ArrayDeque<>();
  private @Nullable RecordLogWriter writer;
  private long closedBytes;
  private long nextFile = 1;

  /** The newest record, or what the log begins after. */
  private Position last;

  SoloSegments(FileStore files, SoloSettings settings, Position after) {
    this.files = files;
    this.settings = settings;
    this.last = after;
  }

  /**
   * Hands on every record after the position the log begins with, in order. A torn tail ends its
   * segment: it was acknowledged to nobody, and the next segment goes on with the same index.
   */
  void replay(Consumer<SoloRecord> consumer) throws IOException {
    for (FileInfo info : files.list(DIRECTORY)) {
      if (!info.path().name().matches("[0-9]{10}\\.log")) {
        continue;
      }
      nextFile = Long.parseLong(info.path().name().substring(0, 10)) + 1;
      long lastOfSegment = 0;
      // Whoever wrote it may have died with records that only the operating system had: they are
      // taken for durable from here on, so make them so before anybody builds on them.
      files.sync(info.path());
      try (RecordLogReader log = RecordLogReader.open(files, info.path())) {
        while (log.next()) {
          SoloRecord found = read(info.path(), log);
          lastOfSegment = found.position().index();
          if (lastOfSegment > last.index()) {
            checkFollows(info.path(), log.recordPosition(), found.position());
            last = found.position();
            consumer.accept(found);
          }
        }
      }
      closed.addLast(new Closed(info.path(), lastOfSegment, info.length()));
      closedBytes += info.length();
    }
  }

  private static SoloRecord read(FilePath path, RecordLogReader log) {
    try {
      return SoloRecord.read(log.buffer(), log.offset(), log.length());
    } catch (ByteReader.Malformed e) {
      throw new CorruptDataException(
          path.value(),
          log.recordPosition(),
          "a record of a member's log",
          String.valueOf(e.getMessage()));
    }
  }

  private void checkFollows(FilePath path, long offset, Position found) {
    if (found.index() != last.index() + 1 || found.term() < last.term()) {
      throw new CorruptDataException(
          path.value(),
          offset,
          "entry " + (last.index() + 1) + " of term " + last.term() + " or later",
          "entry " + found.index() + " of term " + found.term());
    }
  }

  Position last() {
    return last;
  }

  /** What all segments take up. */
  long bytes() {
    return closedBytes + (writer == null ? 0 : writer.length());
  }

  void append(SoloRecord added) throws IOException {
    if (writer != null && writer.length() >= settings.segment().bytes()) {
      roll();
    }
    RecordLogWriter log = writer;
    if (log == null) {
      FilePath path = DIRECTORY.resolve("%010d.log".formatted(nextFile++));
      log = RecordLogWriter.create(files, path, settings.preallocate().bytes());
      writer = log;
    }
    record.clear();
    added.writeTo(record);
    log.append(record.array(), 0, record.length());
    last = added.position();
  }

  void sync() throws IOException {
    if (writer != null) {
      writer.sync();
    }
  }

  /** Ends the segment that is being written, durably. */
  void roll() throws IOException {
    RecordLogWriter log = writer;
    if (log == null) {
      return;
    }
    log.sync();
    log.close();
    writer = null;
    closed.addLast(new Closed(log.path(), last.index(), log.length()));
    closedBytes += log.length();
  }

  /**
   * Deletes the closed segments that hold nothing above an index that the replica has flushed. The
   * deletions are not synced: what a crash brings back, with whatever gaps, is below the position
   * that the next log begins with, so that replay skips it and the next release deletes it.
   */
  void release(long index) throws IOException {
    while (!closed.isEmpty() && closed.getFirst().lastIndex() <= index) {
      files.delete(closed.getFirst().path());
      closedBytes -= closed.removeFirst().bytes();
    }
  }

  /** Gives the files up as they are. */
  void abandon() throws IOException {
    if (writer != null) {
      writer.close();
      writer = null;
    }
  }
}
