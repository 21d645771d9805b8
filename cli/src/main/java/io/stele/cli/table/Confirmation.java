package io.stele.cli.table;

import io.stele.base.error.InvalidRequestException;
import io.stele.cli.CommandEnvironment.Prompt;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The question before what cannot be undone, and the option that answers it; a mixin. */
final class Confirmation {
  @Option(names = "--yes", description = "Do not ask.")
  private boolean yes;

  /** Is it to be done? */
  boolean given(Prompt prompt, String question) {
    if (yes) {
      return true;
    }
    Optional<String> answer = prompt.ask(question + " Type yes to go on: ");
    return answer
        .map(text -> text.strip().equalsIgnoreCase("yes"))
        .orElseThrow(
            () -> new InvalidRequestException(question + " Nobody is here to ask: give --yes."));
  }
}
