package io.stele.tables;

import static io.stele.testkit.table.TableFixture.bytes;
import static io.stele.testkit.table.TableFixture.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.ConflictException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.file.FilePath;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.TabletInfo;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A copy has what its source had at one moment, by the same files; then each goes its own way. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class TableCopyTest {
  private static final TableSchema SCHEMA =
      TableSchema.of(GroupSchema.of("one", "f"), GroupSchema.of("two", "g"));

  private final MemoryFileStore files = new MemoryFileStore();
  private final TestServer server = TestServer.open(files);

  TableCopyTest() {
    server.server.create("t", SCHEMA, List.of(bytes("m")));
  }

  @AfterEach
  void close() {
    server.close();
  }

  private void write(String table, String row, String value) {
    server.table(table).apply(put(row, "f:c", 1, value), put(row, "g:c", 1, value));
  }

  private Set<FilePath> filesOf(String table) {
    Set<FilePath> named = new HashSet<>();
    for (TabletInfo tablet : server.server.tablets(table)) {
      tablet.files().forEach(file -> named.add(FilePath.of(file.path())));
    }
    return named;
  }

  @Test
  void aCopyNamesTheFilesOfItsSourceAndNoOthers() {
    write("t", "a", "1");
    server.server.flush("t");
    write("t", "z", "2");
    server.server.copy("t", "c");
    assertThat(filesOf("c")).isNotEmpty().isEqualTo(filesOf("t"));
    assertThat(server.server.schema("c")).isEqualTo(SCHEMA);
    assertThat(server.server.tablets("c")).hasSize(2);
    assertThat(server.table("c").all()).isEqualTo(server.table("t").all()).hasSize(4);
    server.checkFiles("after a copy");
  }

  @Test
  void eachGoesItsOwnWay() {
    write("t", "a", "1");
    server.server.copy("t", "c");
    write("t", "b", "of t");
    write("c", "b", "of c");
    assertThat(server.table("t").row("b")).containsExactly("b/f:c@1=of t", "b/g:c@1=of t");
    assertThat(server.table("c").row("b")).containsExactly("b/f:c@1=of c", "b/g:c@1=of c");
    server.server.flush("c");
    server.server.split("c", bytes("a"), bytes("a"));
    server.server.compact("c");
    server.server.compact("t");
    server.server.runUpkeep();
    assertThat(filesOf("c")).doesNotContainAnyElementsOf(filesOf("t"));
    assertThat(server.server.tablets("c")).hasSize(3);
    assertThat(server.server.tablets("t")).hasSize(2);
    server.server.truncate("t");
    server.server.runUpkeep();
    assertThat(server.table("c").all()).hasSize(4);
    server.checkFiles("after both were changed");
  }

  @Test
  void theLastOfThemTakesTheFilesWithIt() {
    write("t", "a", "1");
    server.server.copy("t", "c");
    server.server.copy("c", "d");
    Set<FilePath> shared = filesOf("t");
    server.server.drop("t");
    server.server.runUpkeep();
    server.server.drop("c");
    server.server.runUpkeep();
    assertThat(server.table("d").all()).containsExactly("a/f:c@1=1", "a/g:c@1=1");
    assertThat(server.fragmentFiles()).containsAll(shared);
    server.server.drop("d");
    server.server.runUpkeep();
    assertThat(server.fragmentFiles()).doesNotContainAnyElementsOf(shared);
  }

  /** The groups of a table are files of their own: the copy must not have a row by half. */
  @Test
  void aRowIsInTheCopyWithAllItsGroupsOrNotAtAll() throws InterruptedException {
    AtomicBoolean ended = new AtomicBoolean();
    Thread writer =
        Thread.ofPlatform()
            .start(
                () -> {
                  for (int i = 0; !ended.get(); i++) {
                    write("t", "r" + i % 50, "v" + i);
                    if (i % 7 == 0) {
                      server.server.flush("t"); // as a server does at any time
                    }
                  }
                });
    try {
      for (int i = 0; i < 6; i++) {
        String copy = "c" + i;
        server.server.copy("t", copy);
        List<String> ones = values(copy, "f:c");
        assertThat(ones).as(copy).isEqualTo(values(copy, "g:c"));
      }
    } finally {
      ended.set(true);
      writer.join();
    }
  }

  private List<String> values(String table, String column) {
    return server.table(table).all().stream()
        .filter(cell -> cell.contains("/" + column))
        .map(cell -> cell.replace("/" + column, ""))
        .toList();
  }

  @Test
  void filesOfACopyThatIsBeingMadeStay() throws Exception {
    write("t", "a", "1");
    server.server.flush("t");
    List<FilePath> held = List.copyOf(filesOf("t"));
    server.server.machinery().parts().names().pin(held);
    server.server.drop("t");
    server.server.runUpkeep();
    assertThat(server.fragmentFiles()).containsAll(held);
    server.server.machinery().parts().names().unpin(held);
    server.server.runUpkeep();
    assertThat(server.fragmentFiles()).doesNotContainAnyElementsOf(held);
  }

  @Test
  void whatCannotBeCopiedIsAnsweredAndChangesNothing() {
    write("t", "a", "1");
    server.server.create("u", SCHEMA, List.of());
    assertThatThrownBy(() -> server.server.copy("t", "u"))
        .isInstanceOf(ConflictException.class)
        .hasMessageContaining("\"u\" exists");
    assertThatThrownBy(() -> server.server.copy("none", "c"))
        .isInstanceOf(NotFoundException.class)
        .hasMessageContaining("\"none\"");
    assertThatThrownBy(() -> server.server.copy("META1", "c"))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("META1");
    assertThatThrownBy(() -> server.server.copy("t", "META0"))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("reserved");
    assertThat(server.table("u").all()).isEmpty();
    assertThat(server.server.list(false)).containsExactly("t", "u");
  }
}
