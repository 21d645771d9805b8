package io.stele.cli.metastore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import io.stele.client.metastore.Condition;
import io.stele.client.metastore.Condition.Field;
import io.stele.client.metastore.Condition.Relation;
import io.stele.client.metastore.Keys;
import io.stele.client.metastore.Step;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScriptReaderTest {

  @Test
  void everyKindOfLineIsRead() {
    TransactionScript script =
        ScriptReader.read(
            """
            # only the first one makes the plan
            if missing /plan
            if exists /team
            if value /mode = "on line"
            if version /a != 3
            if created /a < 4
            if modified /a > 5
              if session /a = 0   # nobody's
            if held /locks/plan 4294967297

            then
            put /plan "step one"
            delete /draft
            delete --prefix /drafts/
            else
            get /plan
            get /plans/ --prefix
            """);

    Keys a = Keys.of("/a");
    assertThat(script)
        .usingRecursiveComparison()
        .isEqualTo(
            new TransactionScript(
                List.of(
                    Condition.absent("/plan"),
                    Condition.exists("/team"),
                    new Condition.OnValue(Keys.of("/mode"), Relation.EQUAL, Bytes.utf8("on line")),
                    new Condition.OnNumber(a, Field.VERSION, Relation.NOT_EQUAL, 3),
                    new Condition.OnNumber(a, Field.CREATED, Relation.LESS, 4),
                    new Condition.OnNumber(a, Field.MODIFIED, Relation.GREATER, 5),
                    new Condition.OnNumber(a, Field.SESSION, Relation.EQUAL, 0),
                    new Condition.LockHeld("/locks/plan", 4294967297L)),
                List.of(
                    Step.put("/plan", "step one"),
                    Step.delete("/draft"),
                    Step.delete(Keys.prefix("/drafts/"))),
                List.of(Step.get("/plan"), Step.get(Keys.prefix("/plans/")))));
  }

  @Test
  void withoutConditionsThenMayBeLeftOut() {
    assertThat(ScriptReader.read("put /a 1\nput /b 2").then())
        .isEqualTo(List.of(Step.put("/a", "1"), Step.put("/b", "2")));
  }

  @Test
  void aValueMayBeAnyBytes() {
    assertThat(ScriptReader.read("put /a \"é\\n\\t\\r\\\"\\\\\\x00\\xfF#\"").then())
        .containsExactly(
            Step.put(
                "/a",
                Bytes.of(
                    (byte) 0xC3,
                    (byte) 0xA9,
                    (byte) '\n',
                    (byte) '\t',
                    (byte) '\r',
                    (byte) '"',
                    (byte) '\\',
                    (byte) 0,
                    (byte) 0xFF,
                    (byte) '#')));
    assertThat(ScriptReader.read("put /a \"\"").then())
        .containsExactly(Step.put("/a", Bytes.EMPTY));
  }

  @Test
  void aQuotedWordIsNoKeyword() {
    assertThat(ScriptReader.read("put /a \"then\"\nput /then else").then()).hasSize(2);
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = "::",
      quoteCharacter = '~',
      textBlock =
          """
          ~~                        :: the transaction does nothing
          ~if missing /a\nthen~     :: the transaction does nothing
          ~if missng /a\nput /a 1~  :: line 1: unknown condition 'missng'; known: created, modified, version, session, value, exists, missing, held. Did you mean 'missing'?
          ~if~                      :: line 1: unknown condition ''
          ~\nputt /a 1~             :: line 2: unknown word 'putt'; known: if, then, else, put, delete, get. Did you mean 'put'?
          ~put /a~                  :: line 1: 2 words, expected: put KEY VALUE
          ~put /a b c~              :: line 1: 4 words, expected: put KEY VALUE
          ~put a b~                 :: line 1: key 'a': must be an absolute path, such as /a
          ~get~                     :: line 1: expected: get KEY [--prefix]
          ~delete /a /b~            :: line 1: 3 words, expected: delete KEY [--prefix]
          ~if version /a == 1~      :: line 1: '==' instead of a relation: =, !=, < or >
          ~if version /a = one~     :: line 1: 'one' is not a whole number
          ~if version /a =~         :: line 1: 4 words, expected: if version KEY =|!=|<|> NUMBER
          ~if value /a =~           :: line 1: 4 words, expected: if value KEY =|!=|<|> TEXT
          ~if held /a~              :: line 1: 3 words, expected: if held KEY TOKEN
          ~if missing /a\nput /a 1~ :: line 2: 'put' before 'then'
          ~put /a 1\nif missing /b~ :: line 2: conditions must stand before 'then'
          ~then\nput /a 1\nthen~    :: line 3: 'then' again, or after 'else'
          ~else\nget /a\nthen~      :: line 3: 'then' again, or after 'else'
          ~then put~                :: line 1: 2 words, expected: then alone on its line
          ~put /a "b~               :: line 1: a quote is not closed
          ~put /a b"c"~             :: line 1: a quote within a word; quote the whole word
          ~put /a "b"c~             :: line 1: a quoted word goes on after its quote
          ~put /a "\\q"~            :: line 1: unknown escape; there are
          ~put /a "\\x1"~           :: line 1: \\x must be followed by two hexadecimal digits
          """)
  void whatIsWrongIsNamedByItsLine(String script, String message) {
    assertThatThrownBy(() -> ScriptReader.read(script.replace("\\n", "\n")))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageStartingWith(message);
  }
}
