package io.stele.cli.metastore;

import io.stele.base.bytes.Bytes;
import java.util.List;

/**
 * A one-shot transaction as {@code stele metastore txn} reads it, a line for each condition and
 * each step:
 *
 * <pre>
 *   # only the first one makes the plan
 *   if missing /plan
 *   if value /mode = "on line"
 *   if held /locks/plan 4294967297
 *   then
 *   put /plan "step one"
 *   delete /drafts/ --prefix
 *   else
 *   get /plan
 * </pre>
 *
 * <p>Words are parted by blanks; one in double quotes may hold blanks and the escapes {@code \n},
 * {@code \t}, {@code \"}, {@code \\} and {@code \xHH}. {@link ScriptReader} reads it.
 */
record TransactionScript(List<Condition> conditions, List<Step> then, List<Step> otherwise) {

  TransactionScript {
    conditions = List.copyOf(conditions);
    then = List.copyOf(then);
    otherwise = List.copyOf(otherwise);
  }

  /** How what is found must relate to what is given. */
  enum Relation {
    EQUAL("="),
    NOT_EQUAL("!="),
    LESS("<"),
    GREATER(">");

    private final String sign;

    Relation(String sign) {
      this.sign = sign;
    }

    String sign() {
      return sign;
    }
  }

  /** A number that the store keeps with each key. */
  enum Field {
    CREATED,
    MODIFIED,
    VERSION,
    SESSION
  }

  /** One of the lines that start with {@code if}. */
  sealed interface Condition {
    /** {@code if version KEY = N}; a key that is absent has zeroes. */
    record OnNumber(String key, Field field, Relation relation, long operand)
        implements Condition {}

    /** {@code if value KEY = TEXT}; never true of a key that is absent. */
    record OnValue(String key, Relation relation, Bytes operand) implements Condition {}

    /** {@code if held KEY TOKEN}. */
    record LockHeld(String key, long token) implements Condition {}
  }

  /** One of the lines after {@code then} or {@code else}. */
  sealed interface Step {
    record Put(String key, Bytes value) implements Step {}

    /** Of one key, or of all keys that start with it. */
    record Delete(String key, boolean prefix) implements Step {}

    /** Of one key, or of all keys that start with it. */
    record Get(String key, boolean prefix) implements Step {}
  }
}
