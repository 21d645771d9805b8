package io.stele.testkit.file;

import static io.stele.testkit.file.StoredBytes.random;
import static io.stele.testkit.file.StoredBytes.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.WritableFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/**
 * What every {@link FileStore} does, sentence by sentence of its documentation and that of its
 * files. A store's own test extends this class and says how to open an empty one.
 *
 * <pre>{@code
 * class MemoryFileStoreContractTest extends FileStoreContract {
 *   private final MemoryFileStore memory = new MemoryFileStore();
 *
 *   @Override
 *   protected FileStore openStore() {
 *     return memory;
 *   }
 *
 *   @Override
 *   protected FileStore openAgain() {
 *     return memory.crash(CrashMode.dropUnsynced());
 *   }
 * }
 * }</pre>
 */
public abstract class FileStoreContract extends FileContentContract {
  private static final byte[] ONE = {1};
  private static final byte[] TWO = {2, 2};

  /** Names that must work; a store that cannot have one of them leaves it out and says why. */
  protected List<String> unusualNames() {
    return List.of(
        " ",
        "a b",
        ".hidden",
        "...",
        "a..b",
        "-",
        "--help",
        "~",
        "#1",
        "100%",
        "%41",
        "%2f",
        "a+b",
        "a=b&c",
        "q?x=1",
        "*",
        "[a-z]",
        "{a,b}",
        "it's",
        "\"quoted\"",
        "$HOME",
        "`x`",
        "a;b|c",
        "<x>",
        "^!@(),",
        "a:b",
        "UPPER",
        "upper",
        "CON",
        "name.tmp",
        "x".repeat(200),
        "größe",
        "石碑",
        "naïve\u0301",
        "😀");
  }

  @Test
  void directoriesComeIntoBeingWithTheFirstFileInThem() throws IOException {
    FilePath path = FilePath.of("a/b/c/file");
    assertThat(store.stat(FilePath.of("a"))).isEmpty();
    StoredBytes.write(store, path, ONE);
    store.replace(FilePath.of("d/e/file"), ONE);
    store.rename(FilePath.of("d/e/file"), FilePath.of("f/g/file"));

    for (String directory : List.of("a", "a/b", "a/b/c", "f", "f/g")) {
      FileInfo info = store.stat(FilePath.of(directory)).orElseThrow();
      assertThat(info.directory()).as(directory).isTrue();
      assertThat(info.length()).isZero();
    }
    assertThat(read(store, path)).isEqualTo(ONE);
  }

  /** Those who fence a log rely on it. */
  @Test
  void aSyncByAnotherEndsTheWriterIfTheStoreSaysSo() throws Exception {
    if (!store.syncEndsWriters()) {
      return; // nothing is promised, and stores differ
    }
    WritableFile file = store.create(PATH);
    file.write(ONE, 0, ONE.length);
    file.sync();
    store.sync(PATH);
    assertThatThrownBy(
            () -> {
              file.write(TWO, 0, TWO.length);
              file.sync();
            })
        .isInstanceOf(IOException.class);
    file.close(); // it is known to be lost
    assertThat(read(store, PATH)).isEqualTo(ONE);
  }

  @Test
  void syncMakesAFileDurableThatItsWriterDidNot() throws Exception {
    try (WritableFile file = store.create(PATH)) {
      file.write(TWO, 0, TWO.length);
      if (!canSync()) {
        // Nothing is left there of a file that is closed without this.
        file.finish();
      }
    }
    store.sync(PATH);
    assertThat(read(store, PATH)).isEqualTo(TWO);
    try (FileStore again = openAgain()) {
      assertThat(read(again, PATH)).isEqualTo(TWO);
    }
  }

  @Test
  void aMissingFileIsNoSuchFile() throws IOException {
    StoredBytes.write(store, PATH, ONE);
    for (String missing :
        List.of("none", "directory/none", "none/none", PATH.value() + "/below a file")) {
      FilePath path = FilePath.of(missing);
      assertThatThrownBy(() -> store.open(path))
          .isInstanceOf(NoSuchFileException.class)
          .hasMessageContaining(missing);
      assertThatThrownBy(() -> store.sync(path))
          .isInstanceOf(NoSuchFileException.class)
          .hasMessageContaining(missing);
      assertThatThrownBy(() -> store.rename(path, FilePath.of("target")))
          .isInstanceOf(NoSuchFileException.class)
          .hasMessageContaining(missing);
      assertThat(store.stat(path)).as(missing).isEmpty();
      assertThat(store.list(path)).as(missing).isEmpty();
      assertThat(store.delete(path)).as(missing).isFalse();
    }
    assertThat(store.stat(FilePath.of("target"))).isEmpty();
  }

  @Test
  void aFileThatShouldNotBeThereAlreadyExists() throws IOException {
    StoredBytes.write(store, PATH, ONE);
    StoredBytes.write(store, FilePath.of("other"), TWO);
    for (FilePath taken : List.of(PATH, PATH.parent(), FilePath.ROOT)) {
      assertThatThrownBy(() -> store.create(taken))
          .isInstanceOf(FileAlreadyExistsException.class)
          .hasMessageContaining(taken.value());
      assertThatThrownBy(() -> store.rename(FilePath.of("other"), taken))
          .isInstanceOf(FileAlreadyExistsException.class)
          .hasMessageContaining(taken.value());
    }
    assertThatThrownBy(() -> store.rename(PATH, PATH))
        .isInstanceOf(FileAlreadyExistsException.class);
    assertThat(read(store, PATH)).isEqualTo(ONE);
    assertThat(read(store, FilePath.of("other"))).isEqualTo(TWO);
  }

  @Test
  void allOtherFailuresArePlain() throws IOException {
    StoredBytes.write(store, PATH, ONE);
    FilePath directory = PATH.parent();
    FilePath below = PATH.resolve("below a file");
    for (ThrowingCallable failing :
        List.<ThrowingCallable>of(
            () -> store.open(directory),
            () -> store.open(FilePath.ROOT),
            () -> store.sync(directory),
            () -> store.replace(directory, TWO),
            () -> store.replace(FilePath.ROOT, TWO),
            () -> store.rename(directory, FilePath.of("other")),
            () -> store.delete(directory),
            () -> store.delete(FilePath.ROOT),
            () -> store.list(PATH),
            () -> store.create(below),
            () -> store.replace(below, TWO),
            () -> store.rename(PATH, below))) {
      assertThatThrownBy(failing)
          .isInstanceOf(IOException.class)
          .isNotInstanceOf(NoSuchFileException.class)
          .isNotInstanceOf(FileAlreadyExistsException.class);
    }
    assertThat(read(store, PATH)).isEqualTo(ONE);
    assertThat(store.list(FilePath.ROOT)).hasSize(1);
    assertThat(store.list(directory)).hasSize(1);
  }

  @Test
  void aFileExistsFromItsFirstSyncOn() throws IOException {
    if (canSyncOrRefuses()) {
      try (var file = store.create(PATH)) {
        file.sync();
        assertThatThrownBy(() -> store.create(PATH)).isInstanceOf(FileAlreadyExistsException.class);
        assertThatThrownBy(
                () -> {
                  store.replace(FilePath.of("x"), ONE);
                  store.rename(FilePath.of("x"), PATH);
                })
            .isInstanceOf(FileAlreadyExistsException.class);
      }
    }
  }

  @Test
  void ofManyCreatorsOneWins() throws Exception {
    for (int round = 0; round < 10; round++) {
      FilePath path = FilePath.of("round " + round);
      List<Boolean> won =
          Concurrently.run(
              4,
              thread ->
                  () -> {
                    try (var file = store.create(path)) {
                      file.write(new byte[] {(byte) thread}, 0, 1);
                      file.finish();
                      return true;
                    } catch (FileAlreadyExistsException e) {
                      return false;
                    }
                  });
      assertThat(won).containsOnlyOnce(true);
      assertThat(read(store, path)).containsExactly(won.indexOf(true));
    }
  }

  @Test
  void replacePutsAFileInPlaceWhetherOrNotItExists() throws Exception {
    store.replace(PATH, ONE);
    assertThat(read(store, PATH)).isEqualTo(ONE);
    store.replace(PATH, TWO);
    assertThat(read(store, PATH)).isEqualTo(TWO);
    byte[] big = random(9, 1_500_000);
    store.replace(PATH, big);
    assertThat(read(store, PATH)).isEqualTo(big);
    store.replace(PATH, new byte[0]);
    assertThat(read(store, PATH)).isEmpty();

    StoredBytes.write(store, FilePath.of("written"), ONE);
    store.replace(FilePath.of("written"), TWO);
    assertThat(read(store, FilePath.of("written"))).isEqualTo(TWO);
  }

  @Test
  void replaceIsDurableOnReturn() throws Exception {
    store.replace(PATH, ONE);
    store.replace(PATH, TWO);
    try (FileStore again = openAgain()) {
      assertThat(read(again, PATH)).isEqualTo(TWO);
      assertThat(again.list(PATH.parent())).hasSize(1);
    }
  }

  @Test
  void readersFindTheOldContentOrTheNewAndNeverAMixture() throws Exception {
    // Longer than one buffer, and of lengths that differ, so that a mixture would show.
    byte[][] versions = new byte[4][];
    for (int i = 0; i < versions.length; i++) {
      versions[i] = new byte[200_000 + 50_000 * i];
      Arrays.fill(versions[i], (byte) i);
    }
    store.replace(PATH, versions[0]);
    CountDownLatch reads = new CountDownLatch(30);
    AtomicBoolean done = new AtomicBoolean();
    List<Boolean> whole =
        Concurrently.run(
            3,
            thread ->
                () -> {
                  if (thread == 0) {
                    for (int i = 1; i <= 40 || reads.getCount() > 0; i++) {
                      store.replace(PATH, versions[i % versions.length]);
                    }
                    done.set(true);
                    return true;
                  }
                  boolean same = true;
                  while (!done.get()) {
                    byte[] content = read(store, PATH);
                    same &= Arrays.equals(content, versions[content[0]]);
                    reads.countDown();
                  }
                  return same;
                });
    assertThat(whole).containsOnly(true);
    assertThat(store.list(PATH.parent())).hasSize(1);
  }

  @Test
  void ofManyReplacementsOneIsLastAndNothingIsLeftOver() throws Exception {
    Concurrently.run(
        4,
        thread ->
            () -> {
              for (int i = 0; i < 10; i++) {
                store.replace(PATH, random(thread, 1_000));
              }
              return true;
            });
    assertThat(List.of(0, 1, 2, 3).stream().map(thread -> random(thread, 1_000)))
        .contains(read(store, PATH));
    assertThat(store.list(PATH.parent())).hasSize(1);
  }

  @Test
  void renameMovesAFileDurably() throws Exception {
    byte[] content = random(10, 10_000);
    StoredBytes.write(store, PATH, content);
    FilePath target = FilePath.of("elsewhere/renamed");
    store.rename(PATH, target);

    assertThat(store.stat(PATH)).isEmpty();
    assertThat(read(store, target)).isEqualTo(content);
    assertThat(store.stat(target).orElseThrow().path()).isEqualTo(target);
    try (FileStore again = openAgain()) {
      assertThat(again.stat(PATH)).isEmpty();
      assertThat(read(again, target)).isEqualTo(content);
    }
  }

  @Test
  void ofManyRenamesToOneNameOneWins() throws Exception {
    for (int round = 0; round < 5; round++) {
      FilePath target = FilePath.of("target " + round);
      for (int thread = 0; thread < 4; thread++) {
        store.replace(FilePath.of("source " + thread), new byte[] {(byte) thread});
      }
      List<Boolean> won =
          Concurrently.run(
              4,
              thread ->
                  () -> {
                    try {
                      store.rename(FilePath.of("source " + thread), target);
                      return true;
                    } catch (FileAlreadyExistsException e) {
                      return false;
                    }
                  });
      assertThat(won).containsOnlyOnce(true);
      assertThat(read(store, target)).containsExactly(won.indexOf(true));
    }
  }

  @Test
  void deleteTakesFilesAndEmptyDirectories() throws IOException {
    FilePath other = PATH.parent().resolve("other");
    StoredBytes.write(store, PATH, ONE);
    StoredBytes.write(store, other, TWO);

    assertThatThrownBy(() -> store.delete(PATH.parent())).isInstanceOf(IOException.class);
    assertThat(store.delete(PATH)).isTrue();
    assertThat(store.delete(PATH)).isFalse();
    assertThat(store.stat(PATH)).isEmpty();
    assertThat(read(store, other)).isEqualTo(TWO);

    assertThat(store.delete(other)).isTrue();
    boolean stayed = store.stat(PATH.parent()).isPresent();
    assertThat(store.delete(PATH.parent())).isEqualTo(stayed);
    assertThat(store.stat(PATH.parent())).isEmpty();
    assertThat(store.list(FilePath.ROOT)).isEmpty();

    StoredBytes.write(store, PATH, TWO);
    assertThat(read(store, PATH)).isEqualTo(TWO);
  }

  @Test
  void statTellsFilesFromDirectories() throws IOException {
    Instant before = Instant.now();
    StoredBytes.write(store, PATH, new byte[12]);
    Instant after = Instant.now();

    FileInfo file = store.stat(PATH).orElseThrow();
    assertThat(file.path()).isEqualTo(PATH);
    assertThat(file.directory()).isFalse();
    assertThat(file.length()).isEqualTo(12);
    // Stores round to seconds at worst.
    Duration slack = Duration.ofSeconds(1);
    assertThat(file.modified()).isBetween(before.minus(slack), after.plus(slack));
    assertThat(store.stat(PATH.parent()).orElseThrow().path()).isEqualTo(PATH.parent());
    assertThat(store.stat(FilePath.ROOT).orElseThrow().directory()).isTrue();
  }

  @Test
  void listGivesWhatLiesDirectlyInADirectoryByName() throws IOException {
    List<String> names =
        new ArrayList<>(List.of("a", "B", "a-", "a.b", "a0", "aa", "1", "10", "2"));
    for (int i = 0; i < 40; i++) {
      names.add("n" + i);
    }
    List<String> shuffled = new ArrayList<>(names);
    Collections.shuffle(shuffled, new Random(11));
    for (String name : shuffled) {
      store.replace(FilePath.of("directory/" + name), new byte[name.length()]);
    }
    store.replace(FilePath.of("directory/sub/below/deep"), ONE);
    store.replace(FilePath.of("directory-2"), ONE);
    store.replace(FilePath.of("directory0/x"), ONE);
    names.add("sub");
    Collections.sort(names);

    List<FileInfo> found = store.list(FilePath.of("directory"));
    assertThat(found).extracting(info -> info.path().name()).containsExactlyElementsOf(names);
    assertThat(found).allMatch(info -> info.path().parent().equals(FilePath.of("directory")));
    assertThat(found).allMatch(info -> info.directory() == info.path().name().equals("sub"));
    assertThat(found)
        .allMatch(info -> info.length() == (info.directory() ? 0 : info.path().name().length()));
    assertThat(store.list(FilePath.ROOT))
        .extracting(info -> info.path().value())
        .containsExactly("directory", "directory-2", "directory0");
  }

  @Test
  void anEmptyStoreHasNothingInItsRoot() throws IOException {
    assertThat(store.list(FilePath.ROOT)).isEmpty();
    assertThat(store.stat(FilePath.ROOT).orElseThrow().directory()).isTrue();
  }

  @Test
  void unusualNamesAreNamesLikeAnyOther() throws IOException {
    List<String> expected = new ArrayList<>();
    for (String name : unusualNames()) {
      FilePath path = FilePath.of("odd ones").resolve(name).resolve(name);
      StoredBytes.write(store, path, name.getBytes(StandardCharsets.UTF_8));
      FilePath sibling = path.parent().resolve("sibling");
      store.replace(sibling, ONE);
      store.rename(sibling, path.parent().resolve(name + "2"));
      assertThat(store.list(path.parent()))
          .extracting(info -> info.path().name())
          .containsExactlyInAnyOrder(name, name + "2");
      assertThat(store.stat(path)).isPresent();
      expected.add(name);
    }
    Collections.sort(expected);
    assertThat(store.list(FilePath.of("odd ones")))
        .extracting(info -> info.path().name())
        .containsExactlyElementsOf(expected);
    for (String name : unusualNames()) {
      FilePath path = FilePath.of("odd ones").resolve(name).resolve(name);
      assertThat(new String(read(store, path), StandardCharsets.UTF_8)).isEqualTo(name);
      assertThat(store.delete(path)).isTrue();
      assertThat(store.delete(path.parent().resolve(name + "2"))).isTrue();
    }
  }

  @Test
  void aStoreNamesItself() {
    assertThat(store.describe()).isNotBlank().contains(":");
  }
}
