package io.stele.metastore.state;

import static io.stele.metastore.state.TestState.bytes;
import static io.stele.metastore.state.TestState.one;
import static io.stele.metastore.state.TestState.prefix;
import static io.stele.metastore.state.TestState.put;
import static io.stele.metastore.state.TestState.transaction;
import static io.stele.metastore.state.TestState.when;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.metastore.command.AclEntry;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.Answer.Kind;
import io.stele.metastore.command.Answer.Refused;
import io.stele.metastore.command.Command;
import io.stele.metastore.command.Comparison;
import io.stele.metastore.command.Operation;
import io.stele.metastore.command.Origin;
import io.stele.metastore.command.Transaction;
import io.stele.metastore.key.KeyRange;
import io.stele.metastore.state.AccessRules.Right;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who may do what: the nearest directory with rules decides, and without rules all is open. */
class AccessRulesTest {
  private final TestState state = new TestState();

  @BeforeEach
  void rules() {
    set("", "/team", new AclEntry("ann", true, true), new AclEntry("*", true, false));
    set("ann", "/team/secret", new AclEntry("bob", true, true));
  }

  @AfterEach
  void close() {
    state.close();
  }

  private Answer set(String principal, String directory, AclEntry... entries) {
    return state.apply(
        new Command.SetAcl(Origin.of(principal), bytes(directory), List.of(entries)));
  }

  private boolean may(String principal, Transaction transaction) {
    Answer answer = state.apply(new Command.Transact(Origin.of(principal), transaction));
    if (answer instanceof Refused refused) {
      assertThat(refused.kind()).isEqualTo(Kind.DENIED);
      assertThat(refused.message()).contains("/team");
      return false;
    }
    return true;
  }

  private boolean mayPut(String principal, String key) {
    return may(principal, transaction(put(key, "x")));
  }

  private boolean mayRead(String principal, KeyRange range) {
    boolean may = may(principal, transaction(new Operation.Get(range, 0)));
    assertThat(state.state.rules().denial(principal, range, Right.READ).isEmpty()).isEqualTo(may);
    return may;
  }

  private boolean mayDelete(String principal, KeyRange range) {
    return may(principal, transaction(new Operation.Delete(range, false)));
  }

  @Test
  void whereNoDirectoryHasRulesAllIsOpen() {
    assertThat(mayPut("", "/open")).isTrue();
    assertThat(mayPut("eve", "/teammate")).isTrue();
    assertThat(mayRead("eve", prefix("/teammate"))).isTrue();
  }

  @Test
  void ownEntryThenEverybodysThenNothing() {
    assertThat(mayPut("ann", "/team/a/b")).isTrue();
    assertThat(mayPut("eve", "/team/a/b")).isFalse();
    assertThat(mayPut("", "/team")).isFalse();
    assertThat(mayRead("eve", one("/team/a/b"))).isTrue();
    assertThat(mayRead("", one("/team/a/b"))).isTrue();
    assertThat(mayPut("ann", "/team/secret/x")).isFalse();
    assertThat(mayRead("ann", one("/team/secret/x"))).isFalse();
    assertThat(mayPut("bob", "/team/secret/x")).isTrue();
    assertThat(mayPut("bob", "/team/x")).isFalse();
  }

  @Test
  void aRangeNeedsTheRightEverywhereItReaches() {
    assertThat(mayRead("ann", prefix("/team/"))).isFalse();
    assertThat(mayRead("ann", KeyRange.ALL)).isFalse();
    assertThat(mayRead("ann", prefix("/team/a"))).isTrue();
    assertThat(mayRead("ann", new KeyRange(bytes("/team/t"), bytes("/x")))).isTrue();
    assertThat(mayRead("bob", prefix("/team/"))).isTrue();
    assertThat(mayRead("bob", prefix("/team/secret/"))).isTrue();
    assertThat(mayDelete("bob", prefix("/team/secret/"))).isTrue();
    assertThat(mayDelete("bob", prefix("/team/"))).isFalse();
    assertThat(mayDelete("ann", prefix("/team/a"))).isTrue();
    assertThat(mayDelete("eve", prefix("/te"))).isFalse();
    assertThat(mayRead("eve", prefix("/team/secret/deep/"))).isFalse();
    assertThat(mayRead("eve", new KeyRange(bytes("/team/secret/a"), bytes("/team/secret/b"))))
        .isFalse();
  }

  @Test
  void comparisonsReadAndDeniedStepsStopTheWhole() {
    Comparison look =
        new Comparison.Property(
            one("/team/secret/x"), Comparison.Field.VERSION, Comparison.Relation.EQUAL, 0);
    assertThat(may("ann", when(look, List.of(put("/free", "1")), List.of()))).isFalse();
    assertThat(may("ann", transaction(put("/free", "1"), put("/team/secret/x", "1")))).isFalse();
    assertThat(state.get("/free")).isEqualTo("-");
  }

  @Test
  void rulesNeedTheRightToWrite() {
    assertThat(((Refused) set("eve", "/team/a", new AclEntry("eve", true, true))).kind())
        .isEqualTo(Kind.DENIED);
    assertThat(((Refused) set("ann", "/team/secret", new AclEntry("ann", true, true))).kind())
        .isEqualTo(Kind.DENIED);
    assertThat(set("bob", "/team/secret")).isEqualTo(new Answer.Done());
    assertThat(mayPut("ann", "/team/secret/x")).isTrue();
  }

  @Test
  void badRulesAreRefused() {
    AclEntry twice = new AclEntry("x", true, true);
    assertThat(((Refused) set("", "/d", twice, twice)).kind()).isEqualTo(Kind.INVALID);
    assertThat(((Refused) set("", "/d", new AclEntry("", true, true))).kind())
        .isEqualTo(Kind.INVALID);
    assertThat(((Refused) set("", "d", twice)).kind()).isEqualTo(Kind.INVALID);
    assertThat(set("", "/", new AclEntry("*", true, false))).isEqualTo(new Answer.Done());
    assertThat(((Refused) state.apply(new Command.Compact(Origin.NOBODY, 1))).kind())
        .isEqualTo(Kind.DENIED);
  }

  @Test
  void locksNeedTheRightToWrite() {
    long eve = state.open("eve");
    Command acquire =
        new Command.Acquire(
            new Origin("eve", eve, 1, 1), bytes("/team/l"), false, Duration.ZERO, Duration.ZERO);
    assertThat(((Refused) state.apply(acquire)).kind()).isEqualTo(Kind.DENIED);
  }

  @Test
  void rulesOutliveARestart() {
    state.state.flush();
    state.reopen();
    assertThat(mayPut("eve", "/team/a/b")).isFalse();
    assertThat(state.state.rules().of(bytes("/team/secret/x")))
        .containsExactly(new AclEntry("bob", true, true));
    assertThat(state.state.rules().of(bytes("/open"))).isEmpty();
  }
}
