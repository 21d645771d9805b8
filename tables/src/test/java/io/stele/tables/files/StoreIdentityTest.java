package io.stele.tables.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.CorruptDataException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.file.FilePath;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.file.ReadableFile;
import io.stele.tables.meta.FragmentRef;
import io.stele.tables.meta.MemoryRoot;
import io.stele.tables.meta.RootConfig;
import io.stele.tables.meta.TableNames;
import io.stele.tables.meta.TabletConfig;
import io.stele.testkit.golden.FormatFile;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class StoreIdentityTest {
  private static final FilePath FRAGMENT = FilePath.of("fragments/s1/0000000001.frag");

  private final SplittableRandom random = new SplittableRandom(1);
  private final MemoryFileStore files = new MemoryFileStore();
  private final MemoryFileStore logs = new MemoryFileStore();
  private final MemoryRoot root = new MemoryRoot();

  private StoreIdentity identity(MemoryFileStore fragments, MemoryRoot metastore) {
    return new StoreIdentity(fragments, fragments, metastore, random);
  }

  /** META0 with one fragment. */
  private static void saveMeta(MemoryRoot metastore) {
    TabletConfig meta =
        TabletConfig.empty(TableNames.META0, Bytes.EMPTY, Optional.empty())
            .withFragments(Map.of("g", List.of(FragmentRef.whole(FRAGMENT))));
    metastore.save(RootConfig.encode(meta), 0);
  }

  private static void write(MemoryFileStore store, FilePath path) throws IOException {
    store.replace(path, new byte[] {1});
  }

  @Test
  void aNewClusterGetsAnIdThatAllOfItsStoresCarry() throws IOException {
    StoreIdentity identity = new StoreIdentity(files, logs, root, random);
    UUID id = identity.settle();
    assertThat(root.identity()).contains(id);
    assertThat(IdentityFile.read(files)).contains(id);
    assertThat(IdentityFile.read(logs)).contains(id);
    assertThat(identity.mismatch()).isEmpty();
    assertThat(new StoreIdentity(files, logs, root, random).settle()).isEqualTo(id);
    assertThat(files.list(FilePath.of(""))).as("no temporary file is left").hasSize(1);
  }

  @Test
  void twoClustersCannotShareFiles() {
    UUID first = identity(files, root).settle();
    MemoryRoot other = new MemoryRoot();
    UUID second = identity(logs, other).settle();
    assertThatThrownBy(() -> identity(files, other).settle())
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining(first.toString())
        .hasMessageContaining(second.toString())
        .hasMessageContaining("tables.files");
    assertThat(identity(files, other).mismatch())
        .hasValueSatisfying(
            why -> assertThat(why).contains(first.toString()).contains(second.toString()));
    assertThatThrownBy(() -> new StoreIdentity(files, logs, root, random).settle())
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("tables.logs");
  }

  @Test
  void aMetastoreThatWasLostDoesNotGetTheFiles() {
    UUID id = identity(files, root).settle();
    MemoryRoot empty = new MemoryRoot();
    assertThatThrownBy(() -> identity(files, empty).settle())
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining(id.toString())
        .hasMessageContaining("no cluster yet");
    assertThat(empty.identity()).as("nothing was changed").isEmpty();
    assertThat(identity(files, empty).mismatch()).isPresent();
  }

  @Test
  void filesOfBeforeThereWereIdsGetOneWhereTheMetastoreNamesThem() throws IOException {
    write(files, FRAGMENT);
    assertThatThrownBy(() -> identity(files, root).settle())
        .as("the metastore is empty")
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("holds files of tables");
    saveMeta(root);
    UUID id = identity(files, root).settle();
    assertThat(IdentityFile.read(files)).contains(id);
    assertThat(root.identity()).contains(id);
  }

  @Test
  void filesThatTheMetastoreDoesNotNameGetNone() throws IOException {
    saveMeta(root);
    assertThatThrownBy(() -> identity(files, root).settle())
        .as("not mounted")
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("not in");
    write(files, FilePath.of("fragments/s2/0000000001.frag"));
    assertThatThrownBy(() -> identity(files, root).settle())
        .as("somebody else's")
        .isInstanceOf(InvalidRequestException.class);
    assertThat(IdentityFile.read(files)).isEmpty();
  }

  @Test
  void anOlderMetastoreThatNamesTheFilesTakesTheirId() throws IOException {
    saveMeta(root);
    write(files, FRAGMENT);
    UUID id = identity(files, root).settle();
    MemoryRoot restored = new MemoryRoot();
    saveMeta(restored);
    assertThat(identity(files, restored).settle()).isEqualTo(id);
  }

  @Test
  void aCrashBetweenMetastoreAndFilesIsMadeUpFor() throws IOException {
    UUID id = new UUID(1, 2);
    assertThat(root.identify(id)).isEqualTo(id);
    assertThat(identity(files, root).settle()).isEqualTo(id);
    assertThat(IdentityFile.read(files)).contains(id);
  }

  @Test
  void metaIsNotBegunOverFragments() throws IOException {
    StoreIdentity.checkNoFragments(files);
    write(files, FRAGMENT);
    assertThatThrownBy(() -> StoreIdentity.checkNoFragments(files))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("META is not begun");
  }

  @Test
  void theFileIsTextThatIsChecked() throws IOException {
    IdentityFile.write(files, new UUID(0x123456789abcdefL, 42), 7);
    byte[] bytes;
    try (ReadableFile file = files.open(IdentityFile.PATH)) {
      bytes = new byte[Math.toIntExact(file.length())];
      file.read(0, bytes, 0, bytes.length);
    }
    files.replace(IdentityFile.PATH, FormatFile.read("cluster-v1.txt", bytes)); // read for ever
    assertThat(IdentityFile.read(files)).contains(new UUID(0x123456789abcdefL, 42));
    for (int at = 0; at < bytes.length; at++) {
      byte[] damaged = bytes.clone();
      damaged[at] ^= 1;
      files.replace(IdentityFile.PATH, damaged);
      assertThatThrownBy(() -> IdentityFile.read(files))
          .isInstanceOf(CorruptDataException.class)
          .hasMessageContaining("CLUSTER");
    }
  }
}
