package io.stele.base.process;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * How to run {@code stele} as a process: by its launcher, or by the Java and the class path of this
 * JVM.
 *
 * @param command to which arguments of {@code stele} are appended
 * @param environment changes the variables, which are at first those of this process
 */
public record SteleProgram(List<String> command, Consumer<Map<String, String>> environment) {
  /** The flags that the launcher gives to servers, but for those that say how much memory. */
  public static final List<String> SERVER_FLAGS =
      List.of(
          "-XX:+UseParallelGC",
          "-XX:+UseCompactObjectHeaders",
          "--enable-native-access=ALL-UNNAMED",
          "--sun-misc-unsafe-memory-access=allow");

  private static final String MAIN = "io.stele.cli.Main";

  /** Set by the launcher for commands that start servers. */
  private static final String LAUNCHER = "stele.launcher";

  private static final String JAVA_OPTIONS = "STELE_JAVA_OPTS";

  public SteleProgram {
    command = List.copyOf(command);
  }

  /**
   * The launcher, which builds nothing.
   *
   * @param options for the JVM, after those of the launcher and of STELE_JAVA_OPTS
   */
  public static SteleProgram ofLauncher(Path script, List<String> options) {
    return new SteleProgram(
        List.of(script.toString()),
        variables -> {
          String given = variables.getOrDefault(JAVA_OPTIONS, "");
          variables.put(JAVA_OPTIONS, (given + " " + String.join(" ", options)).strip());
          variables.put("STELE_BUILD", "never");
        });
  }

  /** The Java and the class path of this JVM, with the flags of a server. */
  public static SteleProgram ofClassPath(List<String> options) {
    List<String> flags = Stream.of(SERVER_FLAGS, options).flatMap(List::stream).toList();
    return new SteleProgram(java(flags, MAIN), variables -> {});
  }

  /** By the launcher if this process was started by it, else by the class path. */
  public static SteleProgram ofThisProcess(List<String> options) {
    String launcher = System.getProperty(LAUNCHER);
    return launcher == null ? ofClassPath(options) : ofLauncher(Path.of(launcher), options);
  }

  /** The command that runs a class of this JVM's class path, with its arguments. */
  public static List<String> java(List<String> flags, String... program) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(flags);
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(program));
    return command;
  }

  /** Likewise, but no variable of this process sets up a server or a JVM. */
  public SteleProgram isolated() {
    return new SteleProgram(
        command,
        variables -> {
          variables.keySet().removeIf(name -> name.startsWith("STELE_"));
          variables.remove("JAVA_TOOL_OPTIONS");
          environment.accept(variables);
        });
  }

  /** Likewise, behind another command, such as one that enters a network namespace. */
  public SteleProgram behind(List<String> prefix) {
    return new SteleProgram(Stream.of(prefix, command).flatMap(List::stream).toList(), environment);
  }
}
