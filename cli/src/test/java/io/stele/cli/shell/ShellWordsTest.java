package io.stele.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ShellWordsTest {
  private static List<String> words(String text) {
    ShellWords words = ShellWords.of(text);
    assertThat(words.complete()).isTrue();
    return words.words();
  }

  @Test
  void blanksPartWordsAndQuotesHoldThemTogether() {
    assertThat(words("")).isEmpty();
    assertThat(words("  put  t\t1 ")).containsExactly("put", "t", "1");
    assertThat(words("scan t \"row ~= 'a b'\"")).containsExactly("scan", "t", "row ~= 'a b'");
    assertThat(words("put t '' \"\"")).containsExactly("put", "t", "", "");
    assertThat(words("a'b c'd\"e f\"")).containsExactly("ab cde f");
    assertThat(words("'a\nb'")).containsExactly("a\nb");
  }

  @Test
  void backslashesAreForTheCommands() {
    assertThat(words("put t a\\x00 'b\\n' \"c\\\\\" \"d\\\"e\\x00\""))
        .containsExactly("put", "t", "a\\x00", "b\\n", "c\\\\", "d\"e\\x00");
    assertThat(words("a\\' b")).containsExactly("a\\'", "b");
  }

  @Test
  void commentsEndWithTheirLine() {
    assertThat(words("# all")).isEmpty();
    assertThat(words("get t a#b # rest \"\nc")).containsExactly("get", "t", "a#b", "c");
    assertThat(words("'#'")).containsExactly("#");
  }

  @Test
  void openQuotesAndBackslashesAreContinued() {
    assertThat(ShellWords.of("put 'a").complete()).isFalse();
    assertThat(ShellWords.of("put \"a\\\"").complete()).isFalse();
    assertThat(ShellWords.of("put \\").complete()).isFalse();
    assertThat(words("put \\\n t\\\nu")).containsExactly("put", "tu");
  }

  @Test
  void theEndIsInAWordOrBehindABlank() {
    assertThat(ShellWords.of("a ").behindBlank()).isTrue();
    assertThat(ShellWords.of("a").behindBlank()).isFalse();
    assertThat(ShellWords.of("a 'b").behindBlank()).isFalse();
    assertThat(ShellWords.of("a ").lastStart()).isEqualTo(2);
    assertThat(ShellWords.of("a 'b c").lastStart()).isEqualTo(2);
    assertThat(ShellWords.of("a bcd").lastStart()).isEqualTo(2);
  }
}
