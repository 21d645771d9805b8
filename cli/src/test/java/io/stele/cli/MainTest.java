package io.stele.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.cli.table.TableCommandProviders;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Iterator;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

class MainTest {

  /** A command of another module: digs {@code --depth} metres, and fails below ten. */
  @Command(name = "excavate", description = "Dig a hole.")
  static final class Excavate implements Callable<Integer> {

    @Option(names = "--depth", defaultValue = "1")
    private int depth;

    @Override
    public Integer call() {
      if (depth > 10) {
        throw new IllegalStateException("depth is " + depth + ", at most 10 is safe");
      }
      if (depth < 0) {
        throw new IllegalStateException();
      }
      return ExitCode.OK;
    }
  }

  private record Run(int exitCode, String out, String err) {}

  private static Run stele(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine commandLine = Main.commandLine(List.of(Excavate::new));
    commandLine.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    int exitCode = commandLine.execute(arguments);
    return new Run(exitCode, out.toString(), err.toString());
  }

  @Test
  void helpListsTheCommandsOfProvidersAndTheExitCodes() {
    Run run = stele("--help");

    assertThat(run.exitCode()).isEqualTo(ExitCode.OK);
    assertThat(run.out())
        .contains("excavate  Dig a hole.")
        .contains("version   Print the versions")
        .contains("0     The command did")
        .contains("1     The command was understood and failed")
        .contains("2     The command was not understood");
    assertThat(run.err()).isEmpty();
  }

  @Test
  void everyCommandInheritsHelp() {
    assertThat(stele("excavate", "--help").out()).contains("Usage: stele excavate", "--depth");
  }

  @Test
  void helpIsAlsoACommand() {
    assertThat(stele("help").out()).isEqualTo(stele("--help").out());
    assertThat(stele("help", "excavate").out()).isEqualTo(stele("excavate", "--help").out());

    Run unknown = stele("help", "excavat");
    assertThat(unknown.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(unknown.err())
        .startsWith("stele: unknown command 'excavat'; did you mean 'excavate'?");
  }

  @Test
  void withoutACommandThereIsHelpButNoSuccess() {
    Run run = stele();

    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).contains("Commands:", "excavate");
  }

  @Test
  void anUnknownCommandNamesTheNearest() {
    Run run = stele("excavat");

    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err())
        .startsWith("stele: unknown command 'excavat'; did you mean 'excavate'?")
        .contains("`stele --help`");
  }

  @Test
  void anUnknownCommandLikeNoOtherSuggestsNothing() {
    assertThat(stele("zzz").err()).startsWith("stele: unknown command 'zzz'\n");
  }

  @Test
  void anUnknownOptionNamesTheNearest() {
    Run run = stele("excavate", "--dept", "3");

    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err())
        .startsWith("stele excavate: unknown option '--dept'; did you mean '--depth'?")
        .contains("`stele excavate --help`");
  }

  @Test
  void anUnknownArgumentOfACommandWithoutSubcommandsIsNotCalledACommand() {
    Run run = stele("excavate", "here");

    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err()).startsWith("stele excavate: unknown argument 'here'");
  }

  @Test
  void aValueOfTheWrongTypeIsNamed() {
    Run run = stele("excavate", "--depth", "deep");

    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err()).contains("'--depth'", "'deep'");
  }

  @Test
  void aFailureIsOneLineUnlessTheStackTraceIsAskedFor() {
    Run run = stele("excavate", "--depth", "11");

    assertThat(run.exitCode()).isEqualTo(ExitCode.FAILURE);
    assertThat(run.err()).isEqualTo("stele excavate: depth is 11, at most 10 is safe\n");

    Run traced = stele("excavate", "--depth", "11", "--stack-trace");
    assertThat(traced.exitCode()).isEqualTo(ExitCode.FAILURE);
    assertThat(traced.err()).contains("at io.stele.cli.MainTest$Excavate.call");
  }

  @Test
  void aFailureWithoutAMessageNamesItsKind() {
    assertThat(stele("excavate", "--depth", "-1").err())
        .isEqualTo("stele excavate: java.lang.IllegalStateException\n");
  }

  @Test
  void versionIsThatOfTheProject() {
    assertThat(stele("--version").out()).matches("stele \\d+\\.\\d+\\.\\d+\\S*\n");

    Run table = stele("version");
    assertThat(table.exitCode()).isEqualTo(ExitCode.OK);
    assertThat(table.out())
        .startsWith("NAME")
        .contains("java          " + System.getProperty("java.vm.version"));

    assertThat(stele("version", "--output", "json").out())
        .startsWith("{\n  \"stele\": \"")
        .endsWith("\n}\n");
  }

  @Test
  void anUnknownOutputFormatNamesThoseThatExist() {
    Run run = stele("version", "--output", "xml");

    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err()).contains("'--output'", "'xml' is not one of table, json");
  }

  @Test
  void aCommandThatIsNamedIsMadeAlone() {
    CommandProvider digger =
        new CommandProvider() {
          @Override
          public Callable<Integer> command() {
            return new Excavate();
          }

          @Override
          public String name() {
            return "excavate";
          }
        };
    CommandProvider other = Excavate::new;

    assertThat(Main.wanted(List.of(other, digger), "excavate", "--depth", "2"))
        .containsExactly(digger);
    assertThat(Main.wanted(List.of(other, digger), "excavat")).containsExactly(other, digger);
    assertThat(Main.wanted(List.of(other, digger), "")).containsExactly(other, digger);
    assertThat(Main.wanted(List.of(other, digger))).containsExactly(other, digger);
  }

  @Test
  void noFurtherProviderIsLookedForOnceTheCommandIsFound() {
    CommandProvider get = new TableCommandProviders.Get();
    Iterator<CommandProvider> providers = List.of(get, new TableCommandProviders.Put()).iterator();

    assertThat(Main.wanted(() -> providers, "get", "users", "42")).containsExactly(get);

    assertThat(providers.hasNext()).as("one is left").isTrue();
  }

  @Test
  void aProviderCanAddToTheCommandOfAnother() {
    CommandProvider digger =
        new CommandProvider() {
          @Override
          public Callable<Integer> command() {
            return new Excavate();
          }

          @Override
          public String name() {
            return "excavate";
          }

          @Override
          public String parent() {
            return "meta";
          }
        };
    CommandProvider meta = new TableCommandProviders.Meta();

    assertThat(Main.wanted(List.of(digger, meta), "meta", "excavate"))
        .containsExactly(digger, meta);
    assertThat(Main.wanted(List.of(digger, meta), "excavate")).containsExactly(digger, meta);
    CommandLine line = Main.commandLine(List.of(digger, meta));
    assertThat(line.getSubcommands()).doesNotContainKey("excavate");
    assertThat(line.execute("meta", "excavate", "--depth", "2")).isEqualTo(ExitCode.OK);
  }

  @Test
  void everyProviderHasTheNameOfItsCommand() {
    for (CommandProvider provider : ServiceLoader.load(CommandProvider.class)) {
      assertThat(provider.name())
          .isEqualTo(CommandSpec.forAnnotatedObject(provider.command()).name());
    }
  }
}
