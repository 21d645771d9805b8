package io.stele.datasets.version;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.file.FilePath;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.file.StoreCall;
import io.stele.base.input.BrokenInputException;
import io.stele.datasets.shard.InputKinds;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class SourceTest {
  private final MemoryFileStore store = new MemoryFileStore();
  private final Source source = new Source(store, InputKinds.onClassPath(), false);

  private void file(String path, String text) throws IOException {
    store.replace(FilePath.of(path), text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void datasetsAndVersionsAreDirectories() throws Exception {
    file("a/2/part-0.tsv", "");
    file("a/10/part-0.tsv", "");
    file("a/_temporary/part-0.tsv", "");
    file("a/.hidden/part-0.tsv", "");
    file("a/README", "");
    file("b-B_1/v/part-0.tsv", "");
    file("_logs/v/part-0.tsv", "");
    file("README", "");
    assertThat(source.scan())
        .containsExactlyInAnyOrder(
            new Source.Found("a", List.of("10", "2"), ""),
            new Source.Found("b-B_1", List.of("v"), ""));
  }

  @Test
  void otherNamesAreNamedAndNotLoaded() throws Exception {
    file("my data/v/part-0.tsv", "");
    file("a/v 1/part-0.tsv", "");
    file("a/v2/part-0.tsv", "");
    assertThat(source.scan())
        .anySatisfy(
            found -> {
              assertThat(found.dataset()).isEqualTo("my data");
              assertThat(found.versions()).isEmpty();
              assertThat(found.problem()).contains("letters");
            })
        .anySatisfy(
            found -> {
              assertThat(found.versions()).containsExactly("v2");
              assertThat(found.problem()).contains("v 1");
            });
  }

  @Test
  void whatIsBeingWrittenIsNotThereYet() throws Exception {
    file("a/1/part-0.tsv", "");
    file("a/2/_unfinished", "");
    file("a/2/part-0.tsv", "");
    file("a/3/_temporary/0/part-0.tsv", "");
    file("a/3/part-0.tsv", "");
    file("a/4/_temporary/0/part-0.tsv", ""); // left behind by one that was done
    file("a/4/part-0.tsv", "");
    file("a/4/_SUCCESS", "");
    assertThat(source.scan().getFirst().versions()).containsExactly("1", "4");
    store.delete(FilePath.of("a/2/_unfinished"));
    assertThat(source.scan().getFirst().versions()).containsExactly("1", "2", "4");
  }

  @Test
  void theGateKeepsOutVersionsWithoutSuccess() throws Exception {
    file("a/1/part-0.tsv", "");
    file("a/1/_SUCCESS", "");
    file("a/2/part-0.tsv", "");
    Source gated = new Source(store, InputKinds.onClassPath(), true);
    assertThat(gated.scan().getFirst().versions()).containsExactly("1");
    file("a/2/_SUCCESS", "");
    assertThat(gated.scan().getFirst().versions()).containsExactly("1", "2");
  }

  @Test
  void aRootThatCannotBeReadSaysNothingAboutDatasets() throws Exception {
    file("a/1/part-0.tsv", "");
    store.failNth(StoreCall.LIST, 1, () -> new IOException("no route"));
    assertThatThrownBy(source::scan).isInstanceOf(IOException.class).hasMessage("no route");
    store.failNth(StoreCall.LIST, 2, () -> new IOException("no route"));
    assertThat(source.scan())
        .singleElement()
        .satisfies(found -> assertThat(found.problem()).contains("no route"));
  }

  @Test
  void theNumberOfShardsIsTheNumberOfFiles() throws Exception {
    file("a/1/part-1.tsv", "k\tv\n");
    file("a/1/part-0.tsv", "");
    file("a/1/_SUCCESS", "");
    file("a/1/.part-0.tsv.crc", "x");
    VersionFiles files = source.files("a", "1");
    assertThat(files.shards()).isEqualTo(2);
    assertThat(files.sharded()).isFalse();
    assertThat(files.inputs())
        .extracting(file -> file.path().name())
        .containsExactly("part-0.tsv", "part-1.tsv");
  }

  private void assertBroken(String... inMessage) {
    assertThatThrownBy(() -> source.files("a", "1"))
        .isInstanceOf(BrokenInputException.class)
        .hasMessageContainingAll(inMessage);
  }

  @Test
  void aVersionWithoutFilesIsAnError() throws Exception {
    file("a/1/_SUCCESS", "");
    assertBroken("a/1", "without files");
  }

  @Test
  void kindsAreNotMixed() throws Exception {
    file("a/1/part-0.tsv", "");
    file("a/1/part-1.spl", "");
    assertBroken("part-1.spl", "part-0.tsv", "one kind");
  }

  @Test
  void anIndexIsNoInputAndNotWithoutItsLog() throws Exception {
    file("a/1/part-0.spl", "");
    file("a/1/part-0.spi", "");
    assertThat(source.files("a", "1").shards()).isEqualTo(1);
    file("a/1/part-1.spi.sz", "");
    assertBroken("part-1.spi.sz", "part-1.spl", "missing");
  }

  @Test
  void aManifestMustDeclareTheFilesThatAreThere() throws Exception {
    file("a/1/part-0.tsv", "");
    file("a/1/_stele.json", "{}");
    assertBroken("_stele.json", "format");
    String declared =
        "{\"name\": \"part-%d.tsv\", \"shard\": %d, \"records\": 0, \"bytes\": 0,"
            + " \"crc32c\": \"00000000\"}";
    file(
        "a/1/_stele.json",
        "{\"format\": 1, \"hash\": \"polynomial-31\", \"files\": ["
            + declared.formatted(0, 0)
            + "]}");
    assertThat(source.files("a", "1").sharded()).isTrue();
    file("a/1/part-1.tsv", "");
    assertBroken("_stele.json", "part-1.tsv");
    file(
        "a/1/_stele.json",
        "{\"format\": 1, \"hash\": \"polynomial-31\", \"files\": ["
            + declared.formatted(0, 0)
            + ","
            + declared.formatted(1, 0)
            + "]}");
    assertBroken("_stele.json", "part-1.tsv", "shard 0");
    file("a/1/_stele.json", "{\"format\": 1, \"hash\": \"murmur\", \"files\": []}");
    assertBroken("murmur");
  }
}
