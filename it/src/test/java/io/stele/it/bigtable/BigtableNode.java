package io.stele.it.bigtable;

import io.stele.it.SteleProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A server as a process, with a port for Bigtable's clients that it keeps over restarts. */
final class BigtableNode implements AutoCloseable {
  private static final String SMALL =
      "-Xms64m -Xmx256m -XX:-UseParallelGC -XX:+UseSerialGC -XX:TieredStopAtLevel=1";

  private final SteleProcess process;

  private BigtableNode(SteleProcess process) {
    this.process = process;
  }

  /** Starts one and waits until it serves. */
  static BigtableNode start(Path directory, String name, String... arguments) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                SteleProcess.launcher(),
                "server",
                "--data",
                directory.resolve(name).toString(),
                "--ports",
                "auto",
                "--etcd",
                "off"));
    command.addAll(List.of(arguments));
    Path logs = Files.createDirectories(SteleProcess.target().resolve("bigtable"));
    BigtableNode node =
        new BigtableNode(
            new SteleProcess(directory.resolve(name), logs.resolve(name + ".log"), SMALL, command));
    node.process.start();
    return node;
  }

  /** Where Bigtable's clients find it. */
  String address() {
    return process.address("bigtable");
  }

  int port() {
    String address = address();
    return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
  }

  /** Where Stele's own clients find it. */
  String nativeAddress() {
    return process.address();
  }

  /** Ends as a crash would, and is there again. */
  void crash() {
    process.kill9();
    process.start();
  }

  @Override
  public void close() {
    process.close();
  }
}
