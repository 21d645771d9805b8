package io.stele.cli;

import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code stele version}: what runs here, for bug reports and for scripts. */
@Command(name = "version", description = "Print the versions of Stele, Java and the system.")
final class VersionCommand implements Callable<Integer> {

  /** {@code stele --version}. */
  static final class Provider implements IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {"stele " + SteleVersion.current()};
    }
  }

  @Spec private CommandSpec spec;

  @Mixin private OutputOption output = new OutputOption();

  @Override
  public Integer call() {
    Map<String, String> versions = new LinkedHashMap<>();
    versions.put("stele", SteleVersion.current());
    versions.put("java", System.getProperty("java.vm.version"));
    versions.put("jvm", System.getProperty("java.vm.name"));
    versions.put("system", System.getProperty("os.name") + " " + System.getProperty("os.version"));
    versions.put("architecture", System.getProperty("os.arch"));
    PrintWriter out = spec.commandLine().getOut();
    switch (output.format()) {
      case JSON -> out.println(Json.write(versions));
      case TABLE -> {
        TextTable table = new TextTable("NAME", "VERSION");
        versions.forEach((name, version) -> table.row(name, version));
        out.print(table);
      }
    }
    out.flush();
    return ExitCode.OK;
  }
}
