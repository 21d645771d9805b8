package io.stele.cli.dataset;

import io.stele.base.bytes.Bytes;
import io.stele.base.dataset.Lookup;
import io.stele.base.dataset.Origin;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.UnavailableException;
import io.stele.cli.ConnectedCommand;
import io.stele.cli.Connection;
import io.stele.cli.ExitCode;
import io.stele.cli.TextTable;
import io.stele.cli.ValueText;
import io.stele.cli.table.CellText;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Looking keys up: {@code stele dataset get} and {@code stele dataset mget}. */
final class LookupCommand {
  private LookupCommand() {}

  @Command(
      name = "get",
      description = "Print the value of a key.",
      footer = {
        "  stele dataset get scores alice",
        "  stele dataset get thumbnails hex:00ff --raw > thumbnail.png"
      })
  static final class Get extends ConnectedCommand {
    @Parameters(index = "0", paramLabel = "DATASET", description = "The dataset.")
    private String dataset = "";

    @Parameters(
        index = "1",
        paramLabel = "KEY",
        description = "The key; also hex:..., base64:... or with \\xHH.")
    private String key = "";

    @Option(names = "--raw", description = "Write the value as it is.")
    private boolean raw;

    private Bytes bytes = Bytes.EMPTY;

    @Override
    protected void prepare() {
      bytes = CellText.argument("key", key);
    }

    @Override
    protected int run(Connection connection) {
      switch (connection.datasets().get(dataset, bytes)) {
        case Lookup.Found(Bytes value, Origin _) when raw -> {
          System.out.write(value.sharedArray(), 0, value.length());
          System.out.flush();
        }
        case Lookup.Found found ->
            print(() -> json(bytes, found), () -> ValueText.shown(found.value()) + "\n");
        case Lookup.Missing(Origin origin) ->
            throw new NotFoundException(
                "version %s of dataset %s has no key %s"
                    .formatted(origin.version(), dataset, CellText.show(bytes)));
        case Lookup.Failed failed ->
            throw new UnavailableException(
                "key %s of dataset %s: %s"
                    .formatted(CellText.show(bytes), dataset, failed.reason()));
      }
      return ExitCode.OK;
    }
  }

  @Command(
      name = "mget",
      description = {
        "Print the values of many keys, all from one version.",
        "",
        "Ends with 6 if some could not be looked up now; keys that the version does not have are"
            + " no failure."
      },
      footer = {
        "  stele dataset mget scores alice bob",
        "  cut -f1 names.tsv | stele dataset mget scores --keys - --output json"
      })
  static final class MultiGet extends ConnectedCommand {
    @Parameters(index = "0", paramLabel = "DATASET", description = "The dataset.")
    private String dataset = "";

    @Parameters(
        index = "1..*",
        arity = "0..*",
        paramLabel = "KEY",
        description = "The keys; also hex:..., base64:... or with \\xHH.")
    private List<String> keys = List.of();

    @Option(
        names = "--keys",
        paramLabel = "FILE",
        description = "A file with a key on each line, as it is; - for standard input.")
    private @Nullable String file;

    private List<Bytes> all = List.of();

    @Override
    protected void prepare() throws IOException {
      List<Bytes> given = new ArrayList<>();
      keys.forEach(key -> given.add(CellText.argument("key", key)));
      if (file != null) {
        try (InputStream in = input(file)) {
          new String(in.readAllBytes(), StandardCharsets.ISO_8859_1)
              .lines()
              .forEach(line -> given.add(Bytes.wrap(line.getBytes(StandardCharsets.ISO_8859_1))));
        }
      }
      if (given.isEmpty()) {
        throw new InvalidRequestException("no keys: name some, or give --keys FILE");
      }
      all = given;
    }

    private InputStream input(String name) throws IOException {
      if (name.equals("-")) {
        return environment().requireInput("--keys -", "name a file");
      }
      if (!Files.isRegularFile(Path.of(name))) {
        throw new InvalidRequestException("there is no file '" + name + "' with keys");
      }
      return Files.newInputStream(Path.of(name));
    }

    @Override
    protected int run(Connection connection) {
      List<Lookup> lookups = connection.datasets().mget(dataset, all);
      print(() -> json(lookups), () -> text(lookups));
      return lookups.stream().anyMatch(lookup -> lookup instanceof Lookup.Failed)
          ? ExitCode.UNAVAILABLE
          : ExitCode.OK;
    }

    private List<Object> json(List<Lookup> lookups) {
      List<Object> list = new ArrayList<>();
      for (int i = 0; i < lookups.size(); i++) {
        list.add(LookupCommand.json(all.get(i), lookups.get(i)));
      }
      return list;
    }

    private String text(List<Lookup> lookups) {
      TextTable table = new TextTable("KEY", "FOUND", "VALUE");
      for (int i = 0; i < lookups.size(); i++) {
        String key = CellText.show(all.get(i));
        switch (lookups.get(i)) {
          case Lookup.Found found -> table.row(key, "yes", ValueText.onOneLine(found.value()));
          case Lookup.Missing _ -> table.row(key, "no", "");
          case Lookup.Failed failed -> table.row(key, "unknown", failed.reason());
        }
      }
      return table.toString();
    }
  }

  private static Map<String, Object> json(Bytes key, Lookup lookup) {
    Map<String, Object> json = new LinkedHashMap<>();
    ValueText.putJson(json, "key", key);
    switch (lookup) {
      case Lookup.Found(Bytes value, Origin origin) -> {
        json.put("found", true);
        ValueText.putJson(json, "value", value);
        json.put("version", origin.version());
        json.put("proxiedTo", origin.proxiedTo());
      }
      case Lookup.Missing(Origin origin) -> {
        json.put("found", false);
        json.put("version", origin.version());
        json.put("proxiedTo", origin.proxiedTo());
      }
      case Lookup.Failed failed -> {
        json.put("found", null);
        json.put("version", failed.version());
        json.put("error", failed.reason());
      }
    }
    return json;
  }
}
