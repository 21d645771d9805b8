package io.stele.tables;

import static io.stele.testkit.table.TableFixture.answer;
import static io.stele.testkit.table.TableFixture.batch;
import static io.stele.testkit.table.TableFixture.bytes;
import static io.stele.testkit.table.TableFixture.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.base.error.ConflictException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.CheckAndMutate;
import io.stele.base.table.ScanOptions;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What callers get wrong is an answer that names it, and nothing is changed. */
class BadInputTest {
  private final TestServer opened = TestServer.open(new MemoryFileStore());
  private final TabletServer server = opened.server;

  @BeforeEach
  void create() {
    server.create("users", TableSchema.ofFamilies("f"), List.of());
    opened.table("users").apply(put("kept", "f:x", 1, "1"));
  }

  @AfterEach
  void nothingChanged() {
    assertThat(opened.table("users").all()).containsExactly("kept/f:x@1=1");
    assertThat(server.list(false)).containsExactly("users");
    opened.close();
  }

  @Test
  void anUnknownTableIsNamedAndOneLikeItIsToo() {
    assertThatThrownBy(() -> opened.table("user").apply(put("a", "f:x", 1, "1")))
        .isInstanceOf(NotFoundException.class)
        .hasMessageContaining("\"user\"")
        .hasMessageContaining("\"users\"");
    assertThatThrownBy(() -> server.scan("user", ReadPredicate.ALL, ScanOptions.DEFAULT))
        .isInstanceOf(NotFoundException.class);
    assertThatThrownBy(() -> server.drop("user")).isInstanceOf(NotFoundException.class);
    assertThatThrownBy(() -> server.loadTable("user")).isInstanceOf(NotFoundException.class);
  }

  @Test
  void anUnknownFamilyIsNamedWithThoseThereAre() {
    assertThatThrownBy(() -> opened.table("users").apply(put("a", "g:x", 1, "1")))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("\"g\"")
        .hasMessageContaining("\"f\"");
  }

  @Test
  void aConditionalChangeOfAnotherRowIsRefused() {
    CheckAndMutate change =
        new CheckAndMutate(
            bytes("a"),
            ReadPredicate.ALL,
            Optional.empty(),
            Optional.empty(),
            Optional.of(batch(put("b", "f:x", 1, "1"))));
    assertThatThrownBy(() -> answer(server.checkAndMutate("users", change)))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("\"a\"")
        .hasMessageContaining("\"b\"");
    assertThatThrownBy(() -> answer(server.readModifyWrite("users", bytes("a"), List.of())))
        .isInstanceOf(InvalidRequestException.class);
  }

  @Test
  void keysAndFamiliesThatAreTooLongAreRefused() {
    Bytes row = Bytes.wrap(new byte[Cell.MAX_ROW + 1]);
    assertThatThrownBy(() -> Cell.put(row, bytes("f"), bytes("x"), 1, bytes("1")))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("" + Cell.MAX_ROW);
    Bytes family = Bytes.wrap(new byte[Cell.MAX_FAMILY + 1]);
    assertThatThrownBy(() -> Cell.put(bytes("a"), family, bytes("x"), 1, bytes("1")))
        .isInstanceOf(InvalidRequestException.class);
  }

  @Test
  void metaIsNotWrittenByHand() {
    for (String meta : server.list(true).subList(0, 2)) {
      assertThatThrownBy(() -> opened.table(meta).apply(put("a", "first:", 1, "1")))
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining(meta);
      assertThatThrownBy(() -> server.drop(meta)).isInstanceOf(InvalidRequestException.class);
      assertThatThrownBy(() -> server.truncate(meta)).isInstanceOf(InvalidRequestException.class);
    }
  }

  @Test
  void tablesThatCannotBeMadeAreNot() {
    TableSchema schema = TableSchema.ofFamilies("f");
    assertThatThrownBy(() -> server.create("users", schema, List.of()))
        .isInstanceOf(ConflictException.class)
        .hasMessageContaining("\"users\"");
    assertThatThrownBy(() -> server.create("", schema, List.of()))
        .isInstanceOf(InvalidRequestException.class);
    assertThatThrownBy(() -> server.create("t", schema, List.of(bytes("b"), bytes("a"))))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("\"a\"");
    assertThatThrownBy(() -> server.setMetaLocation("elsewhere:1"))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("elsewhere:1");
  }
}
