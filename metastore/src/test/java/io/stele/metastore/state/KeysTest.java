package io.stele.metastore.state;

import static io.stele.metastore.state.TestState.bytes;
import static io.stele.metastore.state.TestState.delete;
import static io.stele.metastore.state.TestState.one;
import static io.stele.metastore.state.TestState.prefix;
import static io.stele.metastore.state.TestState.put;
import static io.stele.metastore.state.TestState.transaction;
import static io.stele.metastore.state.TestState.when;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.metastore.DirectoryEntry;
import io.stele.metastore.RangeAnswer;
import io.stele.metastore.RangeRead;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.Answer.Kind;
import io.stele.metastore.command.Answer.Refused;
import io.stele.metastore.command.Answer.Transacted;
import io.stele.metastore.command.Comparison;
import io.stele.metastore.command.Comparison.Field;
import io.stele.metastore.command.Comparison.Relation;
import io.stele.metastore.command.MetastoreLimits;
import io.stele.metastore.command.Operation;
import io.stele.metastore.command.OperationResult;
import io.stele.metastore.command.RefusedException;
import io.stele.metastore.key.KeyRange;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Keys, their revisions, ranges, directories, and one-shot transactions. */
class KeysTest {
  private final TestState state = new TestState();

  @AfterEach
  void close() {
    state.close();
  }

  private static Kind refusal(Answer answer) {
    return ((Refused) answer).kind();
  }

  @Test
  void theEmptyStoreIsAtRevisionOneAndTheFirstChangeIsTwo() {
    assertThat(state.state.revision()).isEqualTo(1);
    assertThat(state.set("/a", "x")).isEqualTo(2);
    assertThat(state.get("/a")).isEqualTo("/a=x@2,2,1");
  }

  @Test
  void versionsCountFromCreationAndStartAgainAfterADeletion() {
    state.set("/a", "x");
    state.set("/a", "x");
    assertThat(state.get("/a")).isEqualTo("/a=x@2,3,2");
    assertThat(state.remove("/a")).isEqualTo(4);
    assertThat(state.get("/a")).isEqualTo("-");
    state.set("/a", "y");
    assertThat(state.get("/a")).isEqualTo("/a=y@5,5,1");
  }

  @Test
  void whatChangesNothingMakesNoRevision() {
    state.set("/a", "x");
    assertThat(state.remove("/absent")).isEqualTo(2);
    assertThat(((Transacted) state.run(new Operation.Get(KeyRange.ALL, 0))).revision())
        .isEqualTo(2);
    assertThat(((Transacted) state.run(put("/new", "x"), delete("/new"))).revision()).isEqualTo(2);
    assertThat(state.state.revision()).isEqualTo(2);
  }

  @Test
  void theStepsOfATransactionShareARevisionAndSeeEachOther() {
    state.set("/a", "old");
    Transacted done =
        (Transacted)
            state.run(
                new Operation.Put(bytes("/a"), bytes("1"), 0, true),
                put("/b", "2"),
                new Operation.Get(KeyRange.ALL, 0),
                put("/a", "3"),
                delete("/b"),
                new Operation.Get(KeyRange.ALL, 0));
    assertThat(done.revision()).isEqualTo(3);
    assertThat(((OperationResult.Done) done.results().getFirst()).previous().map(TestState::text))
        .hasValue("/a=old@2,2,1");
    assertThat(found(done, 2)).containsExactly("/a=1@2,3,2", "/b=2@3,3,1");
    assertThat(found(done, 5)).containsExactly("/a=3@2,3,2");
    assertThat(state.changes(3)).containsExactly("3 +/a=3 was old");
  }

  private static List<String> found(Transacted done, int step) {
    return ((OperationResult.Found) done.results().get(step))
        .keys().stream().map(TestState::text).toList();
  }

  @Test
  void aKeyDeletedAndPutInOneTransactionIsANewKey() {
    state.set("/a", "x");
    state.run(delete("/a"), put("/a", "y"), put("/a", "z"));
    assertThat(state.get("/a")).isEqualTo("/a=z@3,3,1");
  }

  @Test
  void aRangeIsDeletedWithWhatTheTransactionPutThere() {
    state.set("/d/a", "1");
    state.set("/d/b", "2");
    state.set("/e", "3");
    Transacted done =
        (Transacted) state.run(put("/d/c", "4"), new Operation.Delete(prefix("/d/"), true));
    OperationResult.Deleted deleted = (OperationResult.Deleted) done.results().get(1);
    assertThat(deleted.count()).isEqualTo(3);
    assertThat(deleted.previous())
        .extracting(kv -> kv.key().toUtf8())
        .containsExactly("/d/a", "/d/b", "/d/c");
    assertThat(state.at(0)).containsExactly("/e=3@4,4,1");
  }

  @Test
  void comparisonsDecideOnTheStateBeforeTheFirstStep() {
    Comparison absent = new Comparison.Property(one("/a"), Field.CREATED, Relation.EQUAL, 0);
    Answer first = state.run(when(absent, List.of(put("/a", "1")), List.of(put("/b", "1"))));
    Answer second = state.run(when(absent, List.of(put("/a", "2")), List.of(put("/b", "2"))));
    assertThat(((Transacted) first).succeeded()).isTrue();
    assertThat(((Transacted) second).succeeded()).isFalse();
    assertThat(state.at(0)).containsExactly("/a=1@2,2,1", "/b=2@3,3,1");
  }

  @Test
  void everyFieldAndRelationCompares() {
    state.set("/a", "m");
    state.set("/a", "m");
    assertThat(holds(Field.CREATED, Relation.EQUAL, 2)).isTrue();
    assertThat(holds(Field.MODIFIED, Relation.EQUAL, 3)).isTrue();
    assertThat(holds(Field.VERSION, Relation.NOT_EQUAL, 2)).isFalse();
    assertThat(holds(Field.VERSION, Relation.LESS, 3)).isTrue();
    assertThat(holds(Field.VERSION, Relation.GREATER, 2)).isFalse();
    assertThat(holds(Field.SESSION, Relation.EQUAL, 0)).isTrue();
    assertThat(holds(new Comparison.Value(one("/a"), Relation.EQUAL, bytes("m")))).isTrue();
    assertThat(holds(new Comparison.Value(one("/a"), Relation.LESS, bytes("n")))).isTrue();
    assertThat(holds(new Comparison.Value(one("/a"), Relation.GREATER, bytes("n")))).isFalse();
    assertThat(holds(new Comparison.Value(one("/no"), Relation.NOT_EQUAL, bytes("n")))).isFalse();
    assertThat(holds(new Comparison.Value(prefix("/no"), Relation.EQUAL, bytes("n")))).isTrue();
    state.set("/ab", "z");
    assertThat(holds(new Comparison.Value(prefix("/a"), Relation.EQUAL, bytes("m")))).isFalse();
    assertThat(holds(new Comparison.Property(prefix("/a"), Field.VERSION, Relation.GREATER, 0)))
        .isTrue();
  }

  private boolean holds(Field field, Relation relation, long operand) {
    return holds(new Comparison.Property(one("/a"), field, relation, operand));
  }

  private boolean holds(Comparison comparison) {
    return ((Transacted) state.run(when(comparison, List.of(), List.of()))).succeeded();
  }

  @Test
  void everyRevisionCanBeReadAsItWas() {
    state.set("/a", "1");
    state.set("/b", "2");
    state.remove("/a");
    state.set("/b", "3");
    assertThat(state.at(1)).isEmpty();
    assertThat(state.at(2)).containsExactly("/a=1@2,2,1");
    assertThat(state.at(3)).containsExactly("/a=1@2,2,1", "/b=2@3,3,1");
    assertThat(state.at(3, one("/a"))).containsExactly("/a=1@2,2,1");
    assertThat(state.at(4)).containsExactly("/b=2@3,3,1");
    assertThat(state.at(4, one("/a"))).isEmpty();
    assertThat(state.at(5)).containsExactly("/b=3@3,5,2");
    assertThatThrownBy(() -> state.at(6))
        .isInstanceOfSatisfying(
            RefusedException.class,
            e -> assertThat(e.refused().kind()).isEqualTo(Kind.FUTURE_REVISION))
        .hasMessageContaining("6")
        .hasMessageContaining("future revision")
        .hasMessageContaining("5");
  }

  @Test
  void rangesAreCutByLimitAndBytesAndCounted() {
    for (char c = 'a'; c <= 'e'; c++) {
      state.set("/" + c, "v");
    }
    RangeAnswer two =
        state.state.read(new RangeRead(KeyRange.prefix(bytes("/")), 2, true, false, 0));
    assertThat(two.more()).isTrue();
    assertThat(two.keys()).extracting(kv -> kv.key().toUtf8()).containsExactly("/a", "/b");
    assertThat(two.keys().getFirst().value()).isEqualTo(Bytes.EMPTY);
    RangeAnswer all =
        state.state.read(new RangeRead(new KeyRange(bytes("/b"), bytes("/e")), 3, false, false, 0));
    assertThat(all.more()).isFalse();
    assertThat(all.count()).isEqualTo(3);
    assertThat(state.state.read(new RangeRead(KeyRange.ALL, 1, false, true, 0)).count())
        .isEqualTo(5);
    try (TestState small =
        new TestState(
            TestState.SETTINGS.withLimits(
                new MetastoreLimits(128, 1 << 20, 4096, 1 << 20, 100, 100, 100, 200)))) {
      for (char c = 'a'; c <= 'e'; c++) {
        small.set("/" + c, "v");
      }
      RangeAnswer cut = small.state.read(RangeRead.of(KeyRange.ALL));
      assertThat(cut.more()).isTrue();
      assertThat(cut.keys()).hasSize(3);
    }
  }

  @Test
  void directoriesListTheirNamesInOrderAndInPages() {
    for (String key :
        List.of("/a", "/a/b-c", "/a/b/x", "/a/b/y/z", "/a/b.d", "/a/c", "/a/c/d", "/a/d/e", "/b")) {
      state.set(key, "v");
    }
    state.set("/a/gone/x", "v");
    state.remove("/a/gone/x");
    assertThat(list("/", "", 10)).containsExactly("a=/", "b=");
    List<String> expected = List.of("b/", "b-c=", "b.d=", "c=/", "d/");
    assertThat(list("/a", "", 10)).containsExactlyElementsOf(expected);
    List<String> paged = new ArrayList<>();
    String after = "";
    for (List<String> page = list("/a", after, 1); !page.isEmpty(); page = list("/a", after, 1)) {
      paged.addAll(page);
      after = page.getLast().replaceAll("[=/]", "");
    }
    assertThat(paged).isEqualTo(expected);
    assertThat(list("/none", "", 10)).isEmpty();
  }

  private List<String> list(String directory, String after, int limit) {
    List<String> found = new ArrayList<>();
    for (DirectoryEntry entry : state.state.list(bytes(directory), after, limit)) {
      found.add(entry.name() + (entry.value() ? "=" : "") + (entry.directory() ? "/" : ""));
    }
    return found;
  }

  @Test
  void whatIsTooLargeOrNoPathIsRefusedWithTheReason() {
    assertThat(refusal(state.run(put("relative", "x")))).isEqualTo(Kind.INVALID);
    assertThat(((Refused) state.run(put("/a//b", "x"))).message())
        .contains("/a//b")
        .contains("empty component at byte 3");
    Operation large = new Operation.Put(bytes("/a"), Bytes.wrap(new byte[(1 << 20) + 1]), 0, false);
    assertThat(refusal(state.run(large))).isEqualTo(Kind.INVALID);
    Operation[] many = new Operation[129];
    for (int i = 0; i < many.length; i++) {
      many[i] = put("/k" + i, "x");
    }
    assertThat(((Refused) state.run(transaction(many))).message()).contains("129").contains("128");
    assertThat(state.state.revision()).isEqualTo(1);
  }

  @Test
  void aDeletionOfTooManyKeysIsRefusedAsAWhole() {
    try (TestState small =
        new TestState(
            TestState.SETTINGS.withLimits(
                new MetastoreLimits(128, 1 << 20, 4096, 1 << 20, 3, 100, 100, 1 << 20)))) {
      for (char c = 'a'; c <= 'd'; c++) {
        small.set("/" + c, "v");
      }
      assertThat(refusal(small.run(put("/x", "1"), new Operation.Delete(prefix("/"), false))))
          .isEqualTo(Kind.EXHAUSTED);
      assertThat(small.at(0)).hasSize(4);
      assertThat(small.state.revision()).isEqualTo(5);
    }
  }

  @Test
  void changesAreToldFromARevisionOnWithWhatWasBefore() {
    state.set("/a", "1");
    state.run(put("/a", "2"), put("/b", "1"));
    state.remove("/a");
    assertThat(state.changes(2))
        .containsExactly("2 +/a=1", "3 +/a=2 was 1", "3 +/b=1", "4 -/a was 2");
    assertThat(state.changes(5)).isEmpty();
    assertThat(state.state.changes(2, 1, false)).hasSize(1);
  }

  @Test
  void listenersHearEachRevisionOnceWithWhatWasBefore() {
    List<String> heard = new ArrayList<>();
    state.state.listen(
        new StateListener() {
          @Override
          public void changed(RevisionChanges changes) {
            assertThat(state.state.revision()).isEqualTo(changes.revision());
            changes
                .changes()
                .forEach(
                    change ->
                        heard.add(
                            changes.revision()
                                + change.now().key().toUtf8()
                                + (change.deleted() ? " deleted" : "")
                                + change.before().map(kv -> " was " + kv.value()).orElse("")));
          }
        });
    state.set("/a", "1");
    state.run(new Operation.Get(KeyRange.ALL, 0));
    state.run(put("/a", "2"), put("/b", "3"));
    state.remove("/b");
    assertThat(heard).containsExactly("2/a", "3/a was 1", "3/b", "4/b deleted was 3");
  }
}
