package io.stele.base.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A Stele server as a child process, with a directory that outlives it. It takes free ports at its
 * first start and the same ones later. It is ready once it has written its addresses.
 */
public class ServerProcess extends ChildProcess {
  private static final Duration START_PATIENCE = Duration.ofMinutes(2);

  private final Path data;
  private volatile ServerAddresses addresses = ServerAddresses.NONE; // when it was last ready

  /**
   * A server that is not started yet, killed at the end of this JVM.
   *
   * @param arguments {@code server} or {@code up} and their options, but for directory and ports
   */
  public ServerProcess(
      String name, SteleProgram program, Path data, Path log, List<String> arguments) {
    this(name, program, data, log, arguments, Duration.ZERO);
  }

  /**
   * A server that is not started yet.
   *
   * @param atExit the time to stop that it has at the end of this JVM before it is killed
   */
  public ServerProcess(
      String name,
      SteleProgram program,
      Path data,
      Path log,
      List<String> arguments,
      Duration atExit) {
    super(name, command(program, data, arguments), program.environment(), log, atExit);
    this.data = data;
  }

  private static List<String> command(SteleProgram program, Path data, List<String> arguments) {
    List<String> command = new ArrayList<>(program.command());
    command.addAll(arguments);
    command.addAll(List.of("--data", data.toString(), "--ports", "auto"));
    return command;
  }

  public final Path data() {
    return data;
  }

  @Override
  public void launch() {
    try {
      Files.createDirectories(data);
      Files.deleteIfExists(addressFile()); // a killed one leaves it behind
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    super.launch();
  }

  /** Waits until it serves. */
  public ServerAddresses awaitReady() {
    awaitReady(() -> Files.exists(addressFile()), START_PATIENCE);
    ServerAddresses written = ServerAddresses.read(data);
    addresses = written;
    return written;
  }

  /** Starts it and waits until it serves. */
  public final ServerAddresses start() {
    launch();
    return awaitReady();
  }

  /** Where it served when it was last ready; it keeps its addresses while it is down. */
  public final ServerAddresses addresses() {
    return addresses;
  }

  /** The address of its native interface. */
  public final String address() {
    return addresses().of("native");
  }

  private Path addressFile() {
    return data.resolve(ServerAddresses.FILE);
  }
}
