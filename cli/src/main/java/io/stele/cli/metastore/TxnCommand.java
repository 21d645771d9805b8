package io.stele.cli.metastore;

import io.stele.base.error.InvalidRequestException;
import io.stele.cli.ExitCode;
import io.stele.client.metastore.Condition;
import io.stele.client.metastore.MetastoreClient;
import io.stele.client.metastore.Step;
import io.stele.client.metastore.StepResult;
import io.stele.client.metastore.TransactionResult;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code stele metastore txn}. */
@Command(
    name = "txn",
    description = {
      "Do several things at once, if conditions hold.",
      "",
      "Reads a line for each condition and each step. All conditions are looked at first; if they"
          + " all hold, the steps after 'then' are done, otherwise those after 'else', all in one"
          + " revision. Ends with exit code 4 if a condition did not hold.",
      "",
      "  if missing KEY               the key does not exist",
      "  if exists KEY",
      "  if value KEY = TEXT          also != < >, by bytes; not true of a missing key",
      "  if version KEY = N           also created, modified, session; 0 for a missing key",
      "  if held KEY TOKEN            the lock is still held, as it was granted",
      "  then",
      "  put KEY VALUE",
      "  delete KEY [--prefix]",
      "  get KEY [--prefix]",
      "  else",
      "  …",
      "",
      "Words with blanks stand in double quotes, which know \\n"
          + ", \\t, \\\", \\\\ and \\xHH. What follows a # is a comment. Without conditions 'then'"
          + " may be left out."
    },
    footer = {
      "  stele metastore txn <<'END'",
      "  if missing /plan",
      "  then",
      "  put /plan \"step one\"",
      "  put /planned-by me",
      "  else",
      "  get /plan",
      "  END",
      "",
      "  stele metastore txn -f swap.txn"
    })
final class TxnCommand extends ClientCommand {

  @Option(
      names = {"-f", "--file"},
      paramLabel = "FILE",
      description = "Where to read it from (default: standard input).")
  private @Nullable Path file;

  private TransactionScript script = new TransactionScript(List.of(), List.of(), List.of());

  @Override
  void check() throws IOException {
    script = ScriptReader.read(text());
  }

  private String text() throws IOException {
    if (file == null) {
      return new String(
          environment().requireInput("the transaction", "name a file").readAllBytes(),
          StandardCharsets.UTF_8);
    }
    try {
      return Files.readString(file);
    } catch (NoSuchFileException e) {
      throw new InvalidRequestException("there is no file '" + file + "'", e);
    }
  }

  @Override
  int run(MetastoreClient client) {
    TransactionResult result =
        client
            .transaction()
            .when(script.conditions().toArray(Condition[]::new))
            .then(script.then().toArray(Step[]::new))
            .otherwise(script.otherwise().toArray(Step[]::new))
            .commit();
    print(() -> json(result), () -> text(result));
    return result.succeeded() ? ExitCode.OK : ExitCode.CONFLICT;
  }

  private static Map<String, Object> json(TransactionResult result) {
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("succeeded", result.succeeded());
    answer.put("revision", result.revision());
    answer.put("results", result.results().stream().map(TxnCommand::json).toList());
    return answer;
  }

  private static Map<String, Object> json(StepResult step) {
    return switch (step) {
      case StepResult.Put _ -> Map.of("step", "put");
      case StepResult.Deleted deleted -> ordered("delete", "count", deleted.count());
      case StepResult.Found found -> {
        Map<String, Object> object = ordered("get", "keys", KeyText.json(found.keys()));
        object.put("more", found.more());
        yield object;
      }
    };
  }

  private static Map<String, Object> ordered(String step, String name, Object value) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("step", step);
    object.put(name, value);
    return object;
  }

  private static String text(TransactionResult result) {
    StringBuilder text = new StringBuilder();
    text.append(result.succeeded() ? "conditions held" : "conditions did not hold")
        .append(", revision ")
        .append(result.revision())
        .append('\n');
    for (StepResult step : result.results()) {
      switch (step) {
        case StepResult.Put _ -> text.append("put\n");
        case StepResult.Deleted deleted ->
            text.append("deleted ").append(deleted.count()).append('\n');
        case StepResult.Found found -> {
          text.append(KeyText.table(found.keys()));
          text.append(found.more() ? "and more\n" : "");
        }
      }
    }
    return text.toString();
  }
}
