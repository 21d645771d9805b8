package io.stele.tables;

import static io.stele.testkit.table.TableFixture.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.file.FilePath;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.schema.TableSchema;
import io.stele.tables.meta.MemoryRoot;
import io.stele.testkit.table.TableFixture;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A server whose metastore knows nothing of the files that it finds. It once began an empty META
 * over them, and half a minute later it had deleted them all.
 */
class ForeignFilesTest {
  private final MemoryFileStore files = new MemoryFileStore();

  private TabletServer open(MemoryRoot root) {
    TabletServer server =
        TabletServer.builder(files, root).settings(TestServer.SETTINGS).address("a:1").open();
    server.awaitLoaded();
    return server;
  }

  private void makeTable(MemoryRoot root) {
    try (TabletServer server = open(root)) {
      server.create("t", TableSchema.ofFamilies("f"), List.of());
      new TableFixture(server, "t").apply(put("row", "f:", 1, "value"));
    }
  }

  private List<FilePath> fragments() throws IOException {
    return files.list(FilePath.of("fragments")).stream()
        .flatMap(
            run -> {
              try {
                return files.list(run.path()).stream().map(file -> file.path());
              } catch (IOException e) {
                throw new AssertionError(e);
              }
            })
        .toList();
  }

  @Test
  void anEmptyMetastoreDoesNotDeleteTheTables() throws IOException {
    MemoryRoot root = new MemoryRoot();
    makeTable(root);
    List<FilePath> before = fragments();
    assertThat(before).isNotEmpty();
    assertThatThrownBy(
            () -> {
              try (TabletServer server = open(new MemoryRoot())) {
                server.runUpkeep();
              }
            })
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining(root.identity().orElseThrow().toString());
    assertThat(fragments()).isEqualTo(before);
    try (TabletServer server = open(root)) {
      assertThat(new TableFixture(server, "t").all()).hasSize(1);
    }
  }

  @Test
  void metaIsNotBegunAnewWhereOnlyItsRootWasLost() throws IOException {
    MemoryRoot root = new MemoryRoot();
    makeTable(root);
    MemoryRoot rootless = new MemoryRoot();
    rootless.identify(root.identity().orElseThrow());
    List<FilePath> before = fragments();
    assertThatThrownBy(
            () -> {
              try (TabletServer server = open(rootless)) {
                server.runUpkeep();
              }
            })
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("META is not begun");
    assertThat(fragments()).isEqualTo(before);
  }

  @Test
  void aServerDeletesNothingOnceTheFilesAreAnothers() throws IOException {
    MemoryRoot root = new MemoryRoot();
    try (TabletServer server = open(root)) {
      server.create("t", TableSchema.ofFamilies("f"), List.of());
      files.replace(FilePath.of("fragments/00000000/0000000001.frag"), new byte[] {1});
      files.delete(FilePath.of("CLUSTER"));
      server.runUpkeep();
      assertThat(files.stat(FilePath.of("fragments/00000000/0000000001.frag"))).isPresent();
    }
  }
}
