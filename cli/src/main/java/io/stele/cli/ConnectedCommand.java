package io.stele.cli;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A command that works on a store: the options that all of them have, and how they answer. */
@Command(sortOptions = false, optionListHeading = "%nOptions:%n", footerHeading = "%nExamples:%n")
public abstract class ConnectedCommand implements Callable<Integer> {
  private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(10);

  @Spec private CommandSpec spec;

  @Mixin private ConnectionOptions options = new ConnectionOptions();

  @Mixin private OutputOption output = new OutputOption();

  /** Does it, on a store that is closed afterwards, and says what the process ends with. */
  protected abstract int run(Connection connection) throws Exception;

  /** Looks at the arguments before anything is opened. */
  protected void prepare() throws Exception {}

  /** Whom to ask where the user does not say it. */
  protected List<String> servers() {
    return Endpoints.LOCAL;
  }

  @Override
  public final Integer call() throws Exception {
    prepare();
    try (Connection connection = environment().connector().open(request())) {
      return run(connection);
    }
  }

  public final CommandEnvironment environment() {
    return CommandEnvironment.of(spec);
  }

  /** What the user has said of where to work. */
  public final Connector.Request request() {
    return options.request(servers());
  }

  public final Duration timeout() {
    return request().timeout().orElse(DEFAULT_TIMEOUT);
  }

  public final boolean wantsJson() {
    return output.format() == OutputFormat.JSON;
  }

  public final PrintWriter out() {
    return spec.commandLine().getOut();
  }

  public final PrintWriter err() {
    return spec.commandLine().getErr();
  }

  /** Prints the result in the form that the user wants. */
  public final void print(Supplier<@Nullable Object> json, Supplier<String> text) {
    out().print(wantsJson() ? Json.write(json.get()) + "\n" : text.get());
    out().flush();
  }
}
