package io.stele.it.process;

import io.stele.base.process.ChildProcess;
import io.stele.base.process.FileTree;
import io.stele.base.process.ServerAddresses;
import io.stele.base.process.SteleProgram;
import io.stele.cli.Main;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Several servers in one process, each with a directory of its own: many of them in the time and
 * memory that few processes take. They end together.
 */
public final class ServerPack extends ChildProcess {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final List<Path> directories;

  /**
   * Not started yet.
   *
   * @param arguments of each
   */
  ServerPack(Path folder, Path log, int count, List<String> arguments) {
    super("pack " + folder.getFileName(), command(folder, count, arguments), log);
    this.directories = IntStream.range(0, count).mapToObj(i -> folder.resolve("s" + i)).toList();
  }

  private static List<String> command(Path folder, int count, List<String> arguments) {
    List<String> flags = new ArrayList<>(SteleProgram.SERVER_FLAGS);
    flags.addAll(Servers.options("448m"));
    return SteleProgram.java(
        flags,
        Stream.concat(
                Stream.of(ServerPack.class.getName(), Integer.toString(count), folder.toString()),
                arguments.stream())
            .toArray(String[]::new));
  }

  @Override
  public void launch() {
    directories.forEach(directory -> FileTree.delete(addressFile(directory)));
    super.launch();
  }

  private static Path addressFile(Path directory) {
    return directory.resolve(ServerAddresses.FILE);
  }

  public void awaitReady() {
    awaitReady(
        () -> directories.stream().map(ServerPack::addressFile).allMatch(Files::exists), PATIENCE);
  }

  /** The addresses of one interface of each, such as {@code datasets}. */
  public List<String> addresses(String name) {
    return directories.stream().map(directory -> ServerAddresses.read(directory).of(name)).toList();
  }

  /** The process: how many, where, and the arguments of each. */
  public static void main(String[] arguments) throws InterruptedException {
    int count = Integer.parseInt(arguments[0]);
    PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
    List<Thread> servers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      List<String> command =
          new ArrayList<>(List.of("server", "--ports", "auto", "--data", arguments[1] + "/s" + i));
      command.addAll(Arrays.asList(arguments).subList(2, arguments.length));
      servers.add(
          Thread.ofPlatform()
              .name("server-" + i)
              .start(() -> Main.run(out, out, command.toArray(String[]::new))));
    }
    for (Thread server : servers) {
      server.join();
    }
  }
}
