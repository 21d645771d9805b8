package io.stele.base.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.UnavailableException;
import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What only a store on the local disk has: its lock, its temporaries, its mappings. */
class LocalFileStoreTest {
  @TempDir Path root;

  @Test
  void aSecondExclusiveOpenerIsRefusedAndToldWhoHasIt() throws IOException {
    long self = ProcessHandle.current().pid();
    try (LocalFileStore first = LocalFileStore.openExclusive(root)) {
      assertThat(Files.readString(root.resolve("LOCK"))).isEqualTo(self + "\n");
      for (int attempt = 0; attempt < 2; attempt++) {
        assertThatThrownBy(() -> LocalFileStore.openExclusive(root))
            .isInstanceOf(UnavailableException.class)
            .hasMessageContaining(root.toRealPath().toString())
            .hasMessageContaining("" + self);
      }
      first.replace(FilePath.of("file"), new byte[1]);
    }
    LocalFileStore.openExclusive(root).close();
  }

  @Test
  void theSameDirectoryByAnotherNameIsRefusedToo() throws IOException {
    Path link = root.resolveSibling(root.getFileName() + "-link");
    Files.createSymbolicLink(link, root);
    try (LocalFileStore first = LocalFileStore.openExclusive(root)) {
      assertThat(first.list(FilePath.ROOT)).isEmpty();
      assertThatThrownBy(() -> LocalFileStore.openExclusive(link))
          .isInstanceOf(UnavailableException.class);
    } finally {
      Files.delete(link);
    }
  }

  @Test
  void anotherProcessKeepsTheDirectoryUntilItIsKilled() throws Exception {
    Process holder = startHolder();
    try (BufferedReader output = holder.inputReader(StandardCharsets.UTF_8)) {
      assertThat(output.readLine()).isEqualTo("held");

      assertThatThrownBy(() -> LocalFileStore.openExclusive(root))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining(root.toRealPath().toString())
          .hasMessageContaining("process " + holder.pid());
    } finally {
      holder.destroyForcibly();
      assertThat(holder.waitFor(30, TimeUnit.SECONDS)).isTrue();
    }
    LocalFileStore.openExclusive(root).close();
  }

  @Test
  void anOpenerThatWasRefusedInThisProcessDoesNotLetAnotherProcessIn() throws Exception {
    try (LocalFileStore first = LocalFileStore.openExclusive(root)) {
      assertThat(first.list(FilePath.ROOT)).isEmpty();
      assertThatThrownBy(() -> LocalFileStore.openExclusive(root))
          .isInstanceOf(UnavailableException.class);

      Process other = startHolder();
      try (BufferedReader output = other.inputReader(StandardCharsets.UTF_8)) {
        assertThat(output.readLine())
            .contains("in use by process " + ProcessHandle.current().pid());
      } finally {
        other.destroyForcibly();
        assertThat(other.waitFor(30, TimeUnit.SECONDS)).isTrue();
      }
    }
  }

  private Process startHolder() throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            Holder.class.getName(),
            root.toString())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  /** Opens a directory for itself alone, says how that went, and stays until it is killed. */
  static final class Holder {
    private Holder() {}

    public static void main(String[] args) throws IOException {
      try (LocalFileStore store = LocalFileStore.openExclusive(Path.of(args[0]))) {
        System.out.println(store.list(FilePath.ROOT).isEmpty() ? "held" : "not empty");
        int end = System.in.read();
        assert end < 0;
      } catch (UnavailableException e) {
        System.out.println(e.getMessage());
      }
    }
  }

  @Test
  void leftoversOfReplacementsAreHiddenAndGoAtTheNextExclusiveOpening() throws IOException {
    Path directory = Files.createDirectories(root.resolve("a/b"));
    Path leftover = Files.write(directory.resolve(".stele-17.tmp"), new byte[10]);
    Path kept = Files.write(directory.resolve("mine.tmp"), new byte[10]);

    try (LocalFileStore store = LocalFileStore.open(root)) {
      assertThat(store.list(FilePath.of("a/b")))
          .extracting(info -> info.path().value())
          .containsExactly("a/b/mine.tmp");
      // Beside other openers, whose replacement it may be.
      assertThat(leftover).exists();
    }
    LocalFileStore.openExclusive(root).close();
    assertThat(leftover).doesNotExist();
    assertThat(kept).exists();
  }

  @Test
  void theStoresOwnNamesCannotBeUsed() throws IOException {
    try (LocalFileStore store = LocalFileStore.openExclusive(root)) {
      assertThat(store.list(FilePath.ROOT)).isEmpty();
      for (String name : new String[] {"LOCK", ".stele-1.tmp", "a/.stele-1.tmp", "LOCK/x"}) {
        assertThatThrownBy(() -> store.create(FilePath.of(name)))
            .isInstanceOf(InvalidRequestException.class)
            .hasMessageContaining(name);
      }
      store.replace(FilePath.of("a/LOCK"), new byte[1]);
      assertThat(store.stat(FilePath.of("a/LOCK"))).isPresent();
    }
  }

  @Test
  void foreignNamesThatAreNoPathsAreNotListed() throws IOException {
    Files.write(root.resolve("back\\slash"), new byte[1]);
    Files.write(root.resolve("plain"), new byte[1]);
    Files.createSymbolicLink(root.resolve("dangling"), root.resolve("nowhere"));
    try (LocalFileStore store = LocalFileStore.open(root)) {
      assertThat(store.list(FilePath.ROOT))
          .extracting(info -> info.path().value())
          .containsExactly("plain");
    }
  }

  @Test
  void aRootThatIsAFileIsRefused() throws IOException {
    Path file = Files.write(root.resolve("file"), new byte[1]);
    assertThatThrownBy(() -> LocalFileStore.open(file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(file.toString())
        .hasMessageContaining("not a directory");
  }

  @Test
  void aFileThatWasCutShortUnderItsMappingIsAnErrorAndNotACrash() throws IOException {
    try (LocalFileStore store = LocalFileStore.open(root)) {
      FilePath path = FilePath.of("file");
      store.replace(path, new byte[1 << 20]);
      try (ReadableFile file = store.open(path)) {
        assertThat(file).isInstanceOf(MappedFile.class);
        try (FileChannel channel =
            FileChannel.open(root.resolve("file"), StandardOpenOption.WRITE)) {
          channel.truncate(10);
        }
        assertThatThrownBy(() -> file.read(1 << 19, new byte[4096], 0, 4096))
            .isInstanceOf(IOException.class)
            .hasMessageContaining("file")
            .hasMessageContaining("524288");
      }
    }
  }

  @Test
  void aFileThatCannotBeMappedIsReadBySeeking() throws IOException {
    byte[] content = {1, 2, 3, 4, 5};
    Path location = Files.write(root.resolve("file"), content);
    ReadableFile file = SeekingFile.open(FilePath.of("file"), location);
    byte[] target = new byte[4];
    file.read(2, target, 1, 3);

    assertThat(target).containsExactly(0, 3, 4, 5);
    assertThat(file.length()).isEqualTo(5);
    assertThatThrownBy(() -> file.read(3, target, 0, 3)).isInstanceOf(EOFException.class);
    file.close();
    assertThatThrownBy(() -> file.read(0, target, 0, 1)).isInstanceOf(IOException.class);
  }

  @Test
  void anInterruptedReaderDoesNotDisturbTheFile() throws IOException {
    try (LocalFileStore store = LocalFileStore.open(root)) {
      FilePath path = FilePath.of("file");
      store.replace(path, new byte[] {7});
      byte[] target = new byte[1];
      try (ReadableFile mapped = store.open(path);
          ReadableFile sought = SeekingFile.open(path, root.resolve("file"))) {
        Thread.currentThread().interrupt();
        mapped.read(0, target, 0, 1);
        sought.read(0, target, 0, 1);
        assertThat(Thread.interrupted()).isTrue();
        mapped.read(0, target, 0, 1);
        sought.read(0, target, 0, 1);
      }
      assertThat(target).containsExactly(7);
    }
  }

  @Test
  void aFullDiskNamesTheFile() throws IOException {
    // The kernel's own full disk.
    try (FileChannel full = FileChannel.open(Path.of("/dev/full"), StandardOpenOption.WRITE)) {
      WritableFile file =
          new LocalWritableFile(
              FilePath.of("a/log"), full, Syncer.SYSTEM, () -> {}, new WriteBuffers());
      file.write(new byte[10], 0, 10);
      assertThatThrownBy(file::sync)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("a/log")
          .hasMessageContaining("No space left");
      file.close();
    }
  }

  @Test
  void aClosedStoreSaysSo() throws IOException {
    LocalFileStore store = LocalFileStore.open(root);
    store.close();
    assertThatThrownBy(() -> store.stat(FilePath.of("file")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(store.describe())
        .hasMessageContaining("closed");
  }
}
