package io.stele.cli.metastore;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.text.NearestName;
import io.stele.client.metastore.Condition;
import io.stele.client.metastore.Condition.Field;
import io.stele.client.metastore.Condition.Relation;
import io.stele.client.metastore.Keys;
import io.stele.client.metastore.Step;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Reads a {@link TransactionScript}, line by line; what is wrong is named by its line. */
final class ScriptReader {

  private static final List<String> CONDITIONS =
      List.of("created", "modified", "version", "session", "value", "exists", "missing", "held");
  private static final List<String> STEPS = List.of("put", "delete", "get");

  /** Where in the script a line is. */
  private enum Part {
    CONDITIONS,
    THEN,
    ELSE
  }

  private final List<Condition> conditions = new ArrayList<>();
  private final Map<Part, List<Step>> steps = new EnumMap<>(Part.class);
  private Part part = Part.CONDITIONS;
  private int number;

  private ScriptReader() {
    steps.put(Part.THEN, new ArrayList<>());
    steps.put(Part.ELSE, new ArrayList<>());
  }

  static TransactionScript read(String text) {
    ScriptReader reader = new ScriptReader();
    text.lines().forEach(reader::line);
    return reader.finish();
  }

  private TransactionScript finish() {
    List<Step> then = stepsOf(Part.THEN);
    List<Step> otherwise = stepsOf(Part.ELSE);
    if (then.isEmpty() && otherwise.isEmpty()) {
      throw new InvalidRequestException(
          "the transaction does nothing: after 'then' or 'else' must be one of "
              + String.join(", ", STEPS));
    }
    return new TransactionScript(conditions, then, otherwise);
  }

  private List<Step> stepsOf(Part of) {
    return steps.getOrDefault(of, List.of());
  }

  private void line(String line) {
    number++;
    List<ScriptWords.Word> words = ScriptWords.of(number, line);
    if (words.isEmpty()) {
      return;
    }
    switch (keyword(words.getFirst())) {
      case "if" -> conditions.add(condition(words));
      case "then" -> enter(Part.THEN, words);
      case "else" -> enter(Part.ELSE, words);
      default -> step(words);
    }
  }

  private void enter(Part next, List<ScriptWords.Word> words) {
    expectWords(words, 1, words.getFirst().text() + " alone on its line");
    if (next.compareTo(part) <= 0) {
      throw wrong("'" + words.getFirst().text() + "' again, or after 'else'");
    }
    part = next;
  }

  private Condition condition(List<ScriptWords.Word> words) {
    if (part != Part.CONDITIONS) {
      throw wrong("conditions must stand before 'then'");
    }
    String kind = words.size() < 2 ? "" : keyword(words.get(1));
    return switch (kind) {
      case "exists" -> {
        expectWords(words, 3, "if exists KEY");
        yield Condition.exists(key(words.get(2)));
      }
      case "missing" -> {
        expectWords(words, 3, "if missing KEY");
        yield Condition.absent(key(words.get(2)));
      }
      case "held" -> {
        expectWords(words, 4, "if held KEY TOKEN");
        yield new Condition.LockHeld(key(words.get(2)), wholeNumber(words.get(3)));
      }
      case "value" -> {
        expectWords(words, 5, "if value KEY =|!=|<|> TEXT");
        yield new Condition.OnValue(
            Keys.of(key(words.get(2))), relation(words.get(3)), words.get(4).bytes());
      }
      default -> {
        Field field = field(kind);
        expectWords(words, 5, "if " + kind + " KEY =|!=|<|> NUMBER");
        yield new Condition.OnNumber(
            Keys.of(key(words.get(2))), field, relation(words.get(3)), wholeNumber(words.get(4)));
      }
    };
  }

  private Field field(String kind) {
    return Arrays.stream(Field.values())
        .filter(field -> field.name().toLowerCase(Locale.ROOT).equals(kind))
        .findFirst()
        .orElseThrow(() -> wrong(unknown("condition", kind, CONDITIONS)));
  }

  private void step(List<ScriptWords.Word> words) {
    String kind = keyword(words.getFirst());
    if (!STEPS.contains(kind)) {
      List<String> known = Stream.concat(Stream.of("if", "then", "else"), STEPS.stream()).toList();
      throw wrong(unknown("word", kind, known));
    }
    if (part == Part.CONDITIONS) {
      if (!conditions.isEmpty()) {
        throw wrong("'" + kind + "' before 'then': what follows the conditions must begin with it");
      }
      part = Part.THEN; // without conditions there is nothing to tell apart
    }
    stepsOf(part)
        .add(
            switch (kind) {
              case "put" -> {
                expectWords(words, 3, "put KEY VALUE");
                yield Step.put(key(words.get(1)), words.get(2).bytes());
              }
              case "delete" -> Step.delete(keys(words));
              default -> Step.get(keys(words));
            });
  }

  private Keys keys(List<ScriptWords.Word> words) {
    return KeyArgument.keys(key(operand(words)), prefix(words));
  }

  private ScriptWords.Word operand(List<ScriptWords.Word> words) {
    return words.stream()
        .skip(1)
        .filter(word -> !keyword(word).equals("--prefix"))
        .findFirst()
        .orElseThrow(() -> wrong("expected: " + words.getFirst().text() + " KEY [--prefix]"));
  }

  private boolean prefix(List<ScriptWords.Word> words) {
    boolean prefix = words.stream().anyMatch(word -> keyword(word).equals("--prefix"));
    expectWords(words, prefix ? 3 : 2, words.getFirst().text() + " KEY [--prefix]");
    return prefix;
  }

  /** A quoted word is never a keyword. */
  private static String keyword(ScriptWords.Word word) {
    return word.quoted() ? "" : word.text();
  }

  private String key(ScriptWords.Word word) {
    String key = word.text();
    if (!key.startsWith("/")) {
      throw wrong("key '" + key + "': must be an absolute path, such as /" + key);
    }
    return key;
  }

  private Relation relation(ScriptWords.Word word) {
    return switch (keyword(word)) {
      case "=" -> Relation.EQUAL;
      case "!=" -> Relation.NOT_EQUAL;
      case "<" -> Relation.LESS;
      case ">" -> Relation.GREATER;
      default -> throw wrong("'" + word.text() + "' instead of a relation: =, !=, < or >");
    };
  }

  private long wholeNumber(ScriptWords.Word word) {
    try {
      return Long.parseLong(word.text());
    } catch (NumberFormatException e) {
      throw new InvalidRequestException(
          "line " + number + ": '" + word.text() + "' is not a whole number", e);
    }
  }

  private void expectWords(List<ScriptWords.Word> words, int count, String form) {
    if (words.size() != count) {
      throw wrong(words.size() + " words, expected: " + form);
    }
  }

  private static String unknown(String what, String found, List<String> known) {
    Optional<String> nearest = NearestName.of(found, known);
    return "unknown %s '%s'; known: %s%s"
        .formatted(
            what,
            found,
            String.join(", ", known),
            nearest.map(". Did you mean '%s'?"::formatted).orElse(""));
  }

  private InvalidRequestException wrong(String what) {
    return new InvalidRequestException("line " + number + ": " + what);
  }
}
