package io.stele.cli.metastore;

import io.stele.base.error.NotFoundException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.settings.DurationText;
import io.stele.cli.ExitCode;
import io.stele.cli.Json;
import io.stele.cli.ValueText;
import io.stele.client.metastore.KeyEvent;
import io.stele.client.metastore.MetastoreClient;
import io.stele.client.metastore.WatchListener;
import io.stele.client.metastore.WatchOptions;
import io.stele.client.metastore.Watcher;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stele metastore watch}. */
@Command(
    name = "watch",
    description = {
      "Print the changes of a key, or of all keys that start with a prefix, as they happen, until"
          + " stopped.",
      "",
      "Every change has a line: its revision, put or delete, the key, and the value. None is left"
          + " out or told twice, also when another server has to be asked. Exit code 3 says that"
          + " the revision to begin with is no longer kept."
    },
    footer = {
      "  stele metastore watch /config/mode",
      "  stele metastore watch --prefix /services/ --from 17 --output json"
    })
final class WatchCommand extends ClientCommand {

  @Parameters(paramLabel = "KEY", description = "An absolute path.")
  private String key = "";

  @Option(names = "--prefix", description = "All keys that start with KEY.")
  private boolean prefix;

  @Option(
      names = "--from",
      paramLabel = "REVISION",
      description = "The first change wanted (default: the next one).")
  private long from;

  @Option(
      names = "--count",
      paramLabel = "N",
      description = "End after this many changes (default: never).")
  private long count = Long.MAX_VALUE;

  @Option(names = "--previous", description = "Also print what was there before each change.")
  private boolean previous;

  @Override
  void check() {
    KeyArgument.check(key);
  }

  @Override
  int run(MetastoreClient client) {
    WatchOptions options = WatchOptions.DEFAULTS.from(from);
    Printer printer = new Printer();
    try (Watcher watcher =
        client.watch(
            KeyArgument.keys(key, prefix), previous ? options.withPrevious() : options, printer)) {
      // A watch that was once set goes on for ever; one that never was is an error.
      watcher
          .started()
          .copy()
          .orTimeout(timeout().toNanos(), TimeUnit.NANOSECONDS)
          .exceptionally(
              problem -> {
                printer.end.completeExceptionally(neverSet(problem));
                return 0L;
              });
      answer(printer.end);
    }
    return ExitCode.OK;
  }

  private SteleException neverSet(Throwable problem) {
    return problem instanceof SteleException known
        ? known
        : new UnavailableException(
            "no server took the watch within " + DurationText.format(timeout()), problem);
  }

  private final class Printer implements WatchListener {
    private final CompletableFuture<Void> end = new CompletableFuture<>();
    private long left = count;

    @Override
    public void changed(long revision, List<KeyEvent> events) {
      for (KeyEvent event : events) {
        if (left > 0) {
          out()
              .println(wantsJson() ? Json.writeLine(json(revision, event)) : text(revision, event));
          left--;
        }
      }
      out().flush();
      if (left == 0) {
        end.complete(null);
      }
    }

    @Override
    public void compacted(long oldest) {
      end.completeExceptionally(
          new NotFoundException(
              "revision "
                  + from
                  + " is no longer kept; the oldest that can be watched from is "
                  + oldest));
    }

    @Override
    public void failed(SteleException problem) {
      end.completeExceptionally(problem);
    }

    private Map<String, Object> json(long revision, KeyEvent event) {
      Map<String, Object> object = new LinkedHashMap<>();
      object.put("revision", revision);
      object.put("event", event.deleted() ? "delete" : "put");
      object.put("key", event.now().key());
      if (!event.deleted()) {
        ValueText.putJson(object, "value", event.now().value());
        object.put("created", event.now().created());
        object.put("version", event.now().version());
        object.put("session", event.now().session());
      }
      event.before().ifPresent(before -> object.put("previous", KeyText.json(before)));
      return object;
    }

    private String text(long revision, KeyEvent event) {
      String change = revision + (event.deleted() ? " delete " : " put ") + event.now().key();
      String value = event.deleted() ? "" : " " + ValueText.onOneLine(event.now().value());
      String before =
          event.before().map(found -> " was " + ValueText.onOneLine(found.value())).orElse("");
      return change + value + before;
    }
  }
}
