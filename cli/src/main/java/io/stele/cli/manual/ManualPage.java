package io.stele.cli.manual;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The manual page stele(1), in the macros of man(7): a section for what all commands share, and in
 * COMMANDS a subsection for each.
 */
final class ManualPage {
  private static final Map<String, String> VARIABLES =
      Map.of(
          "STELE_ENDPOINTS", "The servers that commands work on, HOST:PORT with commas between.",
          "STELE_CONFIG", "The file of settings of `stele server`; --config wins over it.",
          "STELE_JAVA_OPTS", "More options of the JVM.",
          "STELE_CLASSPATH", "More jars, after Stele's own.",
          "STELE_SECTION_KEY",
              "The setting section.key of a server; `stele server --settings` lists all.",
          "JAVA_HOME", "The Java that runs Stele, where it has none of its own.");

  private final StringBuilder page = new StringBuilder();

  private ManualPage() {}

  static String of(CommandSpec root) {
    ManualPage manual = new ManualPage();
    manual.write(root);
    return manual.page.toString();
  }

  private void write(CommandSpec root) {
    macro("TH", "STELE", "1", "", "Stele", "Stele");
    macro("SH", "NAME");
    line("stele \\- " + text(AllCommands.summary(root.usageMessage().description())));
    macro("SH", "SYNOPSIS");
    line("\\fBstele\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR...] [\\fIARGUMENT\\fR...]");
    macro("SH", "OPTIONS");
    line("All commands take these.");
    AllCommands.options(root).forEach(this::option);
    macro("SH", "COMMANDS");
    AllCommands.subcommands(root).forEach(this::command);
    macro("SH", "EXIT STATUS");
    root.usageMessage().exitCodeList().forEach(this::item);
    macro("SH", "ENVIRONMENT");
    VARIABLES.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(each -> item(each.getKey(), each.getValue()));
  }

  private void command(CommandSpec command) {
    List<CommandSpec> subcommands = AllCommands.subcommands(command);
    if (!subcommands.isEmpty()) {
      subcommands.forEach(this::command);
      return;
    }
    macro("SS", synopsis(command));
    paragraphs(command.usageMessage().description());
    command.positionalParameters().stream()
        .filter(each -> !each.hidden())
        .forEach(each -> item(each.paramLabel(), String.join(" ", each.description())));
    AllCommands.options(command).forEach(this::option);
    String[] examples = command.usageMessage().footer();
    if (examples.length > 0) {
      macro("PP");
      line("Examples:");
      macro("nf");
      Arrays.stream(examples).map(ManualPage::text).forEach(this::line);
      macro("fi");
    }
  }

  private static String synopsis(CommandSpec command) {
    Stream<String> parameters =
        command.positionalParameters().stream()
            .filter(each -> !each.hidden())
            .map(ManualPage::placed);
    return Stream.concat(Stream.of(command.qualifiedName(), "[OPTION...]"), parameters)
        .collect(Collectors.joining(" "));
  }

  private static String placed(ArgSpec parameter) {
    String label = parameter.paramLabel() + (parameter.arity().max() > 1 ? "..." : "");
    return parameter.arity().min() == 0 ? "[" + label + "]" : label;
  }

  private void option(OptionSpec option) {
    String value = option.arity().max() == 0 ? "" : " " + option.paramLabel();
    item(String.join(", ", option.names()) + value, String.join(" ", option.description()));
  }

  /** A term in bold, and what it is. */
  private void item(String term, String what) {
    macro("TP");
    line("\\fB" + text(term) + "\\fR");
    line(text(what));
  }

  private void paragraphs(String... description) {
    for (String paragraph : description) {
      if (paragraph.isEmpty()) {
        macro("PP");
      } else {
        line(text(paragraph));
      }
    }
  }

  private void macro(String name, String... arguments) {
    page.append('.').append(name);
    for (String argument : arguments) {
      page.append(" \"").append(text(argument).replace("\"", "\\(dq")).append('"');
    }
    page.append('\n');
  }

  /** A line of text; one that begins like a macro is none. */
  private void line(String text) {
    page.append(text.startsWith(".") || text.startsWith("'") ? "\\&" : "")
        .append(text)
        .append('\n');
  }

  /** What troff would act upon, escaped; hyphens stay those of the keyboard, to be copied. */
  private static String text(String text) {
    return text.replace("%%", "%").replace("%n", "\n").replace("\\", "\\e").replace("-", "\\-");
  }
}
