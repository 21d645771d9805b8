package io.stele.it.cluster;

import static org.awaitility.Awaitility.await;

import io.stele.cli.Main;
import io.stele.it.SteleProcess;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Several servers in one process, each with a directory of its own: many of them in the time and
 * memory that few processes take. They end together.
 */
public final class ServerPack implements AutoCloseable {
  private static final Duration DEADLINE = Duration.ofSeconds(90);

  private final List<Path> directories;
  private final SteleProcess process;

  /**
   * Not started yet.
   *
   * @param arguments of each
   */
  public ServerPack(Path folder, Path log, int count, List<String> arguments) {
    this.directories = IntStream.range(0, count).mapToObj(i -> folder.resolve("s" + i)).toList();
    List<String> command = new ArrayList<>(TabletCluster.java("-Xmx448m"));
    command.add(ServerPack.class.getName());
    command.add(Integer.toString(count));
    command.add(folder.toString());
    command.addAll(arguments);
    this.process = new SteleProcess(directories.getFirst(), log, "", command);
  }

  public void launch() {
    try {
      for (Path directory : directories) {
        Files.deleteIfExists(addresses(directory));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    process.launch();
  }

  private static Path addresses(Path directory) {
    return directory.resolve("addresses.json");
  }

  public void awaitReady() {
    process.awaitReady();
    await("all servers of a process")
        .atMost(DEADLINE)
        .until(() -> directories.stream().map(ServerPack::addresses).allMatch(Files::exists));
  }

  public void kill9() {
    process.kill9();
  }

  @Override
  public void close() {
    process.close();
  }

  /** The addresses of one interface of each, such as {@code datasets}. */
  public List<String> addresses(String of) {
    return directories.stream()
        .map(directory -> SteleProcess.address(addresses(directory), of))
        .toList();
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
