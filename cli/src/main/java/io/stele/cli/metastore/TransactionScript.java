package io.stele.cli.metastore;

import io.stele.client.metastore.Condition;
import io.stele.client.metastore.Step;
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
}
