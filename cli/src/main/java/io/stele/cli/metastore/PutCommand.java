package io.stele.cli.metastore;

import io.stele.base.bytes.Bytes;
import io.stele.cli.ExitCode;
import io.stele.cli.ValueText;
import io.stele.client.metastore.KeyValue;
import io.stele.client.metastore.MetastoreClient;
import io.stele.client.metastore.Step;
import io.stele.client.metastore.StepResult;
import io.stele.client.metastore.TransactionResult;
import java.io.IOException;
import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stele metastore put}. */
@Command(
    name = "put",
    description = "Set a key, and print the revision of the change.",
    footer = {
      "  stele metastore put /services/web/1 10.0.0.7:80",
      "  stele metastore put /config/nginx @nginx.conf",
      "  date | stele metastore put /started -"
    })
final class PutCommand extends ClientCommand {

  @Parameters(index = "0", paramLabel = "KEY", description = "An absolute path.")
  private String key = "";

  @Parameters(
      index = "1",
      paramLabel = "VALUE",
      description = "The value; - takes it from standard input, @FILE from a file.")
  private String value = "";

  @Option(
      names = "--session",
      paramLabel = "ID",
      description = "The session whose end deletes the key; `session` opens one.")
  private long session;

  @Option(names = "--previous", description = "Also print what was there before.")
  private boolean previous;

  private Bytes bytes = Bytes.EMPTY;

  @Override
  void check() throws IOException {
    KeyArgument.check(key);
    InputStream input =
        value.equals("-")
            ? environment().requireInput("value '-'", "take it from a file, by @FILE")
            : InputStream.nullInputStream();
    bytes = ValueText.read(value, input);
  }

  @Override
  int run(MetastoreClient client) {
    TransactionResult done =
        client.transaction().then(new Step.Put(key, bytes, session, previous)).commit();
    Optional<KeyValue> before =
        done.results().getFirst() instanceof StepResult.Put put ? put.previous() : Optional.empty();
    print(
        () -> {
          Map<String, Object> answer = new LinkedHashMap<>();
          answer.put("revision", done.revision());
          before.ifPresent(found -> answer.put("previous", KeyText.json(found)));
          return answer;
        },
        () ->
            done.revision()
                + before.map(found -> " " + ValueText.onOneLine(found.value())).orElse("")
                + "\n");
    return ExitCode.OK;
  }
}
