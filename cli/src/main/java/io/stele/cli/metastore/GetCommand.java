package io.stele.cli.metastore;

import io.stele.base.error.NotFoundException;
import io.stele.cli.ExitCode;
import io.stele.cli.ValueText;
import io.stele.client.metastore.KeyValue;
import io.stele.client.metastore.Keys;
import io.stele.client.metastore.MetastoreClient;
import io.stele.client.metastore.ReadOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stele metastore get}. */
@Command(
    name = "get",
    description = "Print the value of a key, or all keys that start with a prefix.",
    footer = {
      "  stele metastore get /services/web/1",
      "  stele metastore get /services/web/1 --revision 17 --output json",
      "  stele metastore get --prefix /services/",
      "  stele metastore get /certificate --raw > certificate.der"
    })
final class GetCommand extends ClientCommand {

  @Parameters(paramLabel = "KEY", description = "An absolute path.")
  private String key = "";

  @Option(names = "--prefix", description = "All keys that start with KEY, in order.")
  private boolean prefix;

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "With --prefix, the most keys to print (default: all).")
  private int limit;

  @Option(names = "--count", description = "Only print how many keys there are.")
  private boolean count;

  @Option(
      names = "--revision",
      paramLabel = "N",
      description = "As it was after this change (default: as it is now).")
  private long revision;

  @Mixin private ConsistencyOption consistency = new ConsistencyOption();

  @Option(names = "--raw", description = "Write the value as it is, and nothing else.")
  private boolean raw;

  @Override
  void check() {
    KeyArgument.check(key);
  }

  @Override
  int run(MetastoreClient client) {
    ReadOptions options = ReadOptions.DEFAULTS.with(consistency.value()).at(revision).limit(limit);
    Keys keys = KeyArgument.keys(key, prefix);
    if (count) {
      long found = answer(client.async().count(keys, options));
      print(() -> Map.of("count", found), () -> found + "\n");
    } else if (prefix) {
      List<KeyValue> found = new ArrayList<>();
      client.range(keys, options).forEach(found::add);
      print(() -> KeyText.json(found), () -> KeyText.table(found));
    } else {
      printOne(
          client
              .get(key, options)
              .orElseThrow(() -> new NotFoundException("there is no key " + key)));
    }
    return ExitCode.OK;
  }

  private void printOne(KeyValue found) {
    if (raw) {
      byte[] value = found.value().toArray();
      System.out.write(value, 0, value.length);
      System.out.flush();
    } else {
      print(() -> KeyText.json(found), () -> ValueText.shown(found.value()) + "\n");
    }
  }
}
