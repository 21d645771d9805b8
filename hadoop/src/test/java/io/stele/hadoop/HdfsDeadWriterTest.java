package io.stele.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.WritableFile;
import io.stele.testkit.file.StoredBytes;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.ResourceLock;

/** What is left on HDFS of a file whose writer was killed. */
@ResourceLock(MiniDfs.LOCK)
class HdfsDeadWriterTest {
  private static final FilePath LOG = FilePath.of("log/1");
  private static final int SYNCED = 300_000;
  private static final int SYNCS = 3;

  @RegisterExtension static final MiniDfs DFS = new MiniDfs();

  private static final Deque<URI> LEFT = new ArrayDeque<>();

  /** One process writes a file for each test and is killed; it takes seconds to start. */
  @BeforeAll
  static void killAWriter() throws Exception {
    for (int i = 0; i < 3; i++) {
      LEFT.add(DFS.newRoot());
    }
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-cp",
                System.getProperty("java.class.path"),
                Writer.class.getName()));
    LEFT.forEach(root -> command.add(root.toString()));
    Process writer =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try (BufferedReader output = writer.inputReader(StandardCharsets.UTF_8)) {
      assertThat(output.readLine()).isEqualTo("synced");
    } finally {
      writer.destroyForcibly();
      assertThat(writer.waitFor(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  /** Syncs each file a few times, writes some more, says so, and stays until it is killed. */
  static final class Writer {
    private Writer() {}

    public static void main(String[] args) throws IOException {
      Configuration configuration = new Configuration();
      configuration.setInt("dfs.replication", 1);
      for (String root : args) {
        write(HadoopFileStore.open(URI.create(root), configuration).create(LOG));
      }
      System.out.println("synced");
      int end = System.in.read();
      assert end < 0;
    }

    private static void write(WritableFile file) throws IOException {
      byte[] content = StoredBytes.random(1, SYNCED + 1000);
      int part = SYNCED / SYNCS;
      for (int i = 0; i < SYNCS; i++) {
        file.write(content, i * part, part);
        file.sync();
      }
      file.write(content, SYNCED, 1000);
    }
  }

  @Test
  void allThatWasSyncedIsThereAtOnce() throws Exception {
    URI root = LEFT.remove();
    try (FileStore store = DFS.open(root)) {
      assertSyncedPartIsThere(store);
      assertThatThrownBy(() -> store.create(LOG)).isInstanceOf(FileAlreadyExistsException.class);

      store.rename(LOG, FilePath.of("log/taken"));
      assertThat(StoredBytes.read(store, FilePath.of("log/taken")).length)
          .isGreaterThanOrEqualTo(SYNCED);
      assertThat(store.delete(FilePath.of("log/taken"))).isTrue();
      assertThat(store.list(FilePath.of("log"))).isEmpty();
    }
  }

  @Test
  void allThatWasSyncedIsThereAfterTheDataNodesWereRestarted() throws Exception {
    URI root = LEFT.remove();
    assertThat(DFS.cluster().restartDataNodes()).isTrue();
    DFS.cluster().waitActive();
    try (FileStore store = DFS.open(root)) {
      assertSyncedPartIsThere(store);
    }
    assertThat(
            DFS.cluster()
                .getFileSystem()
                .isFileClosed(new org.apache.hadoop.fs.Path(root.getPath() + "/" + LOG)))
        .isTrue();
  }

  @Test
  void whatIsFoundCanBeMadeDurable() throws Exception {
    URI root = LEFT.remove();
    try (FileStore store = DFS.open(root)) {
      byte[] found = StoredBytes.read(store, LOG);
      long before = DFS.syncsOfDataNodes();
      store.sync(LOG);

      assertThat(DFS.syncsOfDataNodes()).isGreaterThan(before);
      assertThat(StoredBytes.read(store, LOG)).isEqualTo(found);
      assertSyncedPartIsThere(store);
      assertThat(store.list(FilePath.ROOT)).hasSize(1);
    }
  }

  @Test
  void aFileThatItsWriterStillWritesIsNotTakenFromIt() throws IOException {
    URI root = DFS.newRoot();
    byte[] content = StoredBytes.random(1, SYNCED);
    try (FileStore writing = DFS.open(root);
        FileStore reading = DFS.open(root);
        WritableFile file = writing.create(LOG)) {
      for (int end = 1000; end <= 20_000; end += 1000) {
        file.write(content, end - 1000, 1000);
        file.sync();
        assertThat(StoredBytes.read(reading, LOG)).isEqualTo(Arrays.copyOf(content, end));
        assertThat(reading.stat(LOG).orElseThrow().length()).isEqualTo(end);
        assertThat(reading.list(LOG.parent()))
            .extracting(FileInfo::length)
            .containsExactly((long) end);
      }
      file.finish();
    }
  }

  private static void assertSyncedPartIsThere(FileStore store) throws IOException {
    byte[] expected = StoredBytes.random(1, SYNCED + 1000);
    byte[] found = StoredBytes.read(store, LOG);
    assertThat(found.length).isBetween(SYNCED, SYNCED + 1000);
    assertThat(found).isEqualTo(Arrays.copyOf(expected, found.length));
    assertThat(store.stat(LOG).orElseThrow().length()).isEqualTo(found.length);
    assertThat(store.list(LOG.parent()))
        .extracting(FileInfo::length)
        .containsExactly((long) found.length);
  }
}
