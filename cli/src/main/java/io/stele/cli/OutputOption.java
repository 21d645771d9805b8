package io.stele.cli;

import picocli.CommandLine.Option;

/** The shared {@code --output} option; commands with a result take it in by {@code @Mixin}. */
public final class OutputOption {

  @Option(
      names = "--output",
      paramLabel = "FORMAT",
      defaultValue = "table",
      converter = OutputFormat.Converter.class,
      description =
          "How to print the result: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private OutputFormat format = OutputFormat.TABLE;

  public OutputFormat format() {
    return format;
  }
}
