package io.stele.replicas.partition;

import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.ByteReader;
import io.stele.base.bytes.ByteReader.Malformed;
import io.stele.base.bytes.Bytes;
import io.stele.base.cell.CellBatch;
import io.stele.base.error.CorruptDataException;
import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.ReadableFile;
import io.stele.base.recordlog.RecordLogReader;
import io.stele.base.recordlog.RecordLogWriter;
import io.stele.engine.commitlog.CommitLog;
import io.stele.engine.commitlog.LogReplay;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Hands the records of the log that all replicas share to the logs in the directories of the
 * replicas. What a replica's own log has already is written once more, and passed over when it is
 * replayed; so this may be interrupted and begun again at any point.
 *
 * <pre>
 *   record of the shared log := directory(text) id(text) batch        each text: length(varint) bytes
 *   record of a replica's    := batch
 *   LOG-ID                   := id(text without a length)             in the replica's directory
 * </pre>
 *
 * The id is of a directory: one that was lost or set aside, and made again under the same name, has
 * another, and gets no records of the old one.
 */
final class LogDistribution {
  private static final FilePath ID = FilePath.of("LOG-ID");
  private static final FilePath OWN_LOG = FilePath.of("log");

  /** Where a replica's files are; none if it is not there any more. */
  @FunctionalInterface
  interface Directories {
    Optional<FileStore> find(ReplicaName name) throws IOException;
  }

  /** The records of one directory. */
  private record Owner(ReplicaName name, String id) {}

  private final FileStore files;
  private final FilePath log;
  private final Directories directories;
  private final Map<Owner, Optional<RecordLogWriter>> writers = new HashMap<>();

  /**
   * Of a log.
   *
   * @param log its directory
   */
  LogDistribution(FileStore files, FilePath log, Directories directories) {
    this.files = files;
    this.log = log;
    this.directories = directories;
  }

  /** What stands before each batch of a replica. */
  static byte[] head(ReplicaName name, String id) {
    return new ByteBuilder(64)
        .putSized(Bytes.utf8(name.toString()))
        .putSized(Bytes.utf8(id))
        .toArray();
  }

  /** The id of a directory, which is given one if it has none. */
  static String id(FileStore directory, String fresh) throws IOException {
    Optional<String> known = readId(directory);
    if (known.isPresent()) {
      return known.get();
    }
    directory.replace(ID, Bytes.utf8(fresh).toArray());
    return fresh;
  }

  private static Optional<String> readId(FileStore directory) throws IOException {
    if (directory.stat(ID).isEmpty()) {
      return Optional.empty();
    }
    try (ReadableFile file = directory.open(ID)) {
      byte[] content = new byte[(int) file.length()];
      file.read(0, content, 0, content.length);
      return Optional.of(Bytes.wrap(content).toUtf8());
    }
  }

  /**
   * Distributes all records, and deletes the log's files.
   *
   * @throws CorruptDataException if a file is damaged; what was before the damage is distributed,
   *     and the files stay
   */
  void distributeAll() throws IOException {
    try {
      for (FileInfo file : files.list(log)) {
        try (RecordLogReader reader = RecordLogReader.open(files, file.path())) {
          while (reader.next()) {
            copyRecord(reader);
          }
        }
      }
    } finally {
      closeAll();
    }
    for (FileInfo file : files.list(log)) {
      files.delete(file.path());
      files.syncDeletions(log);
    }
  }

  /**
   * Copies the records of one replica up to a transaction, which is there and durable; the log's
   * files stay, and may be written to meanwhile.
   */
  void copy(ReplicaName name, long upTo) throws IOException {
    try {
      for (FileInfo file : files.list(log)) {
        try (RecordLogReader reader = RecordLogReader.open(files, file.path())) {
          while (reader.next()) {
            Owner owner = owner(reader);
            if (owner.name.equals(name) && copyRecord(reader) >= upTo) {
              return; // behind it, records may just be being written
            }
          }
        }
      }
    } finally {
      closeAll();
    }
  }

  private static Owner owner(RecordLogReader reader) {
    return owner(reader, new ByteReader(reader.buffer(), reader.offset(), reader.length()));
  }

  private static Owner owner(RecordLogReader reader, ByteReader in) {
    try {
      return owner(in);
    } catch (Malformed e) {
      throw new CorruptDataException(
          reader.path().toString(), reader.recordPosition(), "a replica's change", e.problem());
    }
  }

  /** Returns the record's transaction. */
  private long copyRecord(RecordLogReader reader) throws IOException {
    ByteReader in = new ByteReader(reader.buffer(), reader.offset(), reader.length());
    Owner owner = owner(reader, in);
    Optional<RecordLogWriter> writer = writers.get(owner);
    if (writer == null) {
      writer = create(owner);
      writers.put(owner, writer);
    }
    if (writer.isPresent()) {
      writer.get().append(reader.buffer(), in.position(), in.remaining());
    }
    return CellBatch.trusted(reader.buffer(), in.position(), in.remaining()).txn();
  }

  private static Owner owner(ByteReader in) throws Malformed {
    String path = in.readSized("replica").toUtf8();
    String id = in.readSized("id of its directory").toUtf8();
    int slash = Math.max(0, path.indexOf('/'));
    ReplicaName name =
        ReplicaName.parse(path.substring(0, slash), path.substring(slash + 1))
            .orElseThrow(() -> in.malformed("replica \"" + path + "\""));
    return new Owner(name, id);
  }

  private Optional<RecordLogWriter> create(Owner owner) throws IOException {
    Optional<FileStore> directory = directories.find(owner.name);
    if (directory.isEmpty() || !readId(directory.get()).equals(Optional.of(owner.id))) {
      return Optional.empty();
    }
    FilePath path =
        OWN_LOG.resolve(CommitLog.fileName(LogReplay.nextFile(directory.get(), OWN_LOG)));
    return Optional.of(RecordLogWriter.create(directory.get(), path, 0));
  }

  private void closeAll() throws IOException {
    try {
      for (Optional<RecordLogWriter> writer : writers.values()) {
        if (writer.isPresent()) {
          writer.get().sync();
        }
      }
    } finally {
      for (Optional<RecordLogWriter> writer : writers.values()) {
        if (writer.isPresent()) {
          writer.get().close();
        }
      }
      writers.clear();
    }
  }
}
