package io.stele.cli.metastore;

import io.stele.cli.ExitCode;
import io.stele.client.metastore.KeyValue;
import io.stele.client.metastore.MetastoreClient;
import io.stele.client.metastore.Step;
import io.stele.client.metastore.StepResult;
import io.stele.client.metastore.TransactionResult;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stele metastore delete}. */
@Command(
    name = "delete",
    description =
        "Delete a key, or all keys that start with a prefix, and print how many there were.",
    footer = {
      "  stele metastore delete /services/web/1",
      "  stele metastore delete --prefix /services/web/"
    })
final class DeleteCommand extends ClientCommand {

  @Parameters(paramLabel = "KEY", description = "An absolute path.")
  private String key = "";

  @Option(names = "--prefix", description = "All keys that start with KEY.")
  private boolean prefix;

  @Option(names = "--previous", description = "Also print what was deleted.")
  private boolean previous;

  @Override
  void check() {
    KeyArgument.check(key);
  }

  @Override
  int run(MetastoreClient client) {
    TransactionResult done =
        client
            .transaction()
            .then(new Step.Delete(KeyArgument.keys(key, prefix), previous))
            .commit();
    StepResult.Deleted deleted =
        done.results().getFirst() instanceof StepResult.Deleted found
            ? found
            : new StepResult.Deleted(0, List.of());
    print(() -> json(done.revision(), deleted), () -> text(deleted));
    return ExitCode.OK;
  }

  private Map<String, Object> json(long revision, StepResult.Deleted deleted) {
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("revision", revision);
    answer.put("count", deleted.count());
    if (previous) {
      answer.put("previous", KeyText.json(deleted.previous()));
    }
    return answer;
  }

  private static String text(StepResult.Deleted deleted) {
    List<KeyValue> before = deleted.previous();
    return deleted.count() + "\n" + (before.isEmpty() ? "" : KeyText.table(before));
  }
}
