package io.stele.cli.metastore;

import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.cli.Json;
import io.stele.cli.OutputFormat;
import io.stele.cli.OutputOption;
import io.stele.client.call.CallSettings;
import io.stele.client.metastore.ClientSettings;
import io.stele.client.metastore.MetastoreClient;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** A command that asks a server: the options that all of them have, and how they answer. */
@Command(sortOptions = false, optionListHeading = "%nOptions:%n", footerHeading = "%nExamples:%n")
abstract class ClientCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Option(
      names = "--endpoints",
      paramLabel = "HOST:PORT",
      order = 100,
      description =
          "The servers, with commas between (default: $STELE_METASTORE, else 127.0.0.1:7835).")
  private @Nullable String endpoints;

  @Option(
      names = "--principal",
      paramLabel = "NAME",
      order = 101,
      description = "On whose behalf to ask, for rights on directories.")
  private String principal = "";

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      order = 102,
      defaultValue = "10s",
      converter = DurationConverter.class,
      description = "How long to try (default: ${DEFAULT-VALUE}).")
  private Duration timeout = Duration.ofSeconds(10);

  @Mixin private OutputOption output = new OutputOption();

  /** Does it, with a client that is closed afterwards, and says what the process ends with. */
  abstract int run(MetastoreClient client) throws Exception;

  /** Whom to ask where the user does not say it. */
  List<String> otherwise() {
    return Endpoints.LOCAL;
  }

  /** Looks at the arguments before anything is connected. */
  void check() throws Exception {}

  @Override
  public final Integer call() throws Exception {
    check();
    List<String> addresses =
        Endpoints.choose(endpoints, System.getenv(Endpoints.VARIABLE), otherwise());
    CallSettings calls = CallSettings.DEFAULTS.withPrincipal(principal).withTimeout(timeout);
    try (MetastoreClient client =
        new MetastoreClient(addresses, ClientSettings.DEFAULTS.withCalls(calls))) {
      return run(client);
    }
  }

  /** Waits for an answer that comes without waiting; the client's errors stay what they are. */
  static <T> T answer(CompletableFuture<T> future) {
    try {
      return future.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new OutcomeUnknownException("interrupted while waiting for the answer", e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof SteleException problem
          ? problem
          : new UnavailableException("no answer: " + e.getCause(), e);
    }
  }

  final Duration timeout() {
    return timeout;
  }

  final boolean wantsJson() {
    return output.format() == OutputFormat.JSON;
  }

  final PrintWriter out() {
    return spec.commandLine().getOut();
  }

  final PrintWriter err() {
    return spec.commandLine().getErr();
  }

  /** Prints the result in the form that the user wants. */
  final void print(Supplier<@Nullable Object> json, Supplier<String> text) {
    out().print(wantsJson() ? Json.write(json.get()) + "\n" : text.get());
    out().flush();
  }
}
