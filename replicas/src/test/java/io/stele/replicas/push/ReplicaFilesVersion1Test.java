package io.stele.replicas.push;

import static java.time.temporal.ChronoUnit.MICROS;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.file.FilePath;
import io.stele.base.file.MemoryFileStore;
import io.stele.replicas.metadata.Assignment;
import io.stele.testkit.file.StoredBytes;
import io.stele.testkit.golden.FormatFile;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The small files of a replica's directory in version 1; all are read for ever. */
class ReplicaFilesVersion1Test {
  private final MemoryFileStore files = new MemoryFileStore();

  /** Puts the checked-in file in place of the one that was just written. */
  private void readStored(String name, String path) throws IOException {
    FilePath file = FilePath.of(path);
    files.replace(file, FormatFile.read(name, StoredBytes.read(files, file)));
  }

  /** Puts the checked-in file of a version that is no longer written in its place. */
  private void readOld(String name, String path) throws IOException {
    files.replace(FilePath.of(path), FormatFile.read(name));
  }

  @Test
  void whichReplicaItIs() throws IOException {
    Assignment assignment = new Assignment("größe", "a17");
    Replica inside =
        new Replica(
            "table",
            "partition",
            assignment,
            Bytes.utf8("first"),
            Optional.of(Bytes.of((byte) 0, (byte) 0xff)));
    readOld("replica-v1.bin", "REPLICA");
    assertThat(ReplicaFile.read(files)).contains(new ReplicaFile.Content(inside, "", false));
    ReplicaFile.Content named = new ReplicaFile.Content(inside, "5f02", true);
    ReplicaFile.write(files, named);
    readStored("replica-v2.bin", "REPLICA");
    assertThat(ReplicaFile.read(files)).contains(named);

    Replica last = new Replica("table", "p", assignment, Bytes.EMPTY, Optional.empty());
    readOld("replica-of-last-rows-v1.bin", "REPLICA");
    assertThat(ReplicaFile.read(files)).contains(new ReplicaFile.Content(last, "", false));
  }

  @Test
  void howFarTheOthersAre() throws IOException {
    Map<String, SequenceMap.Held> old = new LinkedHashMap<>();
    old.put("a1", new SequenceMap.Held(0L, ""));
    old.put("größe", new SequenceMap.Held(70_000L, ""));
    old.put("a3", new SequenceMap.Held(1L << 40, ""));
    readOld("sequences-v1.bin", "SEQUENCES");
    assertThat(SequenceMap.open(files).saved()).isEqualTo(old);
    Map<String, SequenceMap.Held> named = new LinkedHashMap<>();
    named.put("a1", new SequenceMap.Held(0L, ""));
    named.put("größe", new SequenceMap.Held(70_000L, "5f02"));
    SequenceMap.begin(files, named);
    readStored("sequences-v2.bin", "SEQUENCES");
    assertThat(SequenceMap.open(files).saved()).isEqualTo(named);
  }

  @Test
  void whatAHalfBeginsWith() throws IOException {
    Takeover takeover = new Takeover("partition", "größe", 70_000, false);
    takeover.save(files);
    readStored("takeover-v1.bin", "TAKEOVER");
    assertThat(Takeover.load(files)).contains(takeover);

    takeover.asDone().save(files);
    readStored("takeover-done-v1.bin", "TAKEOVER");
    assertThat(Takeover.load(files)).contains(takeover.asDone());
  }

  @Test
  void whenItWasLastSeen() throws IOException {
    long micros = 1_700_000_000_000_000L;
    LastSeen.open(files).note(micros, Duration.ofDays(10));
    readStored("seen-v1.bin", "SEEN");
    assertThat(LastSeen.open(files).before(micros + 5)).isEqualTo(Duration.of(5, MICROS));
  }
}
