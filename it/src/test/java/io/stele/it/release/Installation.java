package io.stele.it.release;

import io.stele.base.process.ChildProcess;
import io.stele.base.process.ServerAddresses;
import io.stele.it.process.Servers;
import io.stele.testkit.process.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * An unpacked release, beside a folder in which its server works. Its processes have no variables
 * but those named here, and see no other Java of this machine, no Maven repository and no source.
 *
 * @param home the top folder of the archive
 * @param work the folder in which the server keeps its data
 * @param variables of its processes
 */
record Installation(Path home, Path work, Map<String, String> variables) {
  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final String UNIT_HOME = "/opt/stele";

  /** Folders that an empty one covers while the release runs. */
  private static final List<String> HIDDEN =
      List.of(
          "/usr/lib/jvm",
          "/root",
          String.valueOf(Servers.launcher().toAbsolutePath().normalize().getParent()));

  /** Unpacks an archive; its server takes free ports, by a setting in etc. */
  static Installation unpack(Path archive, Path folder, Map<String, String> variables)
      throws IOException {
    Files.createDirectories(folder);
    Program.succeed("tar", "-xzf", archive.toString(), "-C", folder.toString());
    Path home;
    try (Stream<Path> tops = Files.list(folder)) {
      List<Path> all = tops.toList();
      if (all.size() != 1) {
        throw new AssertionError(archive + " must have one top folder, and has " + all);
      }
      home = all.getFirst();
    }
    Files.writeString(
        home.resolve("etc/stele.conf"),
        """
        server.port = 0
        server.raft-port = 0
        etcd.port = 0
        bigtable.port = 0
        admin.port = 0
        datasets.port = 0
        """,
        StandardOpenOption.APPEND);
    Path work = Files.createDirectories(folder.resolve("work"));
    return new Installation(home, work, variables);
  }

  /** The path of something in the release. */
  Path file(String name) {
    return home.resolve(name);
  }

  /** The value of a setting of the unit. */
  String unit(String key) throws IOException {
    try (Stream<String> lines = Files.lines(file("share/systemd/stele.service"))) {
      return lines
          .filter(line -> line.startsWith(key + "="))
          .map(line -> line.substring(key.length() + 1))
          .findFirst()
          .orElseThrow(() -> new AssertionError("the unit has no " + key));
    }
  }

  /** The server of the unit, started; the caller closes it. */
  ChildProcess startServer(Path log) throws IOException {
    Path addresses = work.resolve("stele-data").resolve(ServerAddresses.FILE);
    Files.deleteIfExists(addresses);
    List<String> command = new ArrayList<>(clean());
    command.addAll(List.of(unit("ExecStart").replace(UNIT_HOME, home.toString()).split(" ", -1)));
    ChildProcess server =
        new ChildProcess("the unit's server", command, _ -> {}, log, Duration.ZERO);
    server.launch();
    server.awaitReady(() -> Files.exists(addresses), PATIENCE);
    return server;
  }

  String endpoint() {
    return ServerAddresses.read(work.resolve("stele-data")).of("native");
  }

  /** A command by this launcher, which may be a link to that of the release. */
  Program.Result run(Path launcher, String... arguments) {
    List<String> command = new ArrayList<>(clean());
    command.add(launcher.toString());
    return new Program(command, work, _ -> {}).run(arguments);
  }

  /** Enters a namespace in which nothing but the release can be found, without any variables. */
  private List<String> clean() {
    StringBuilder script = new StringBuilder();
    for (String folder : HIDDEN) {
      script.append("[ ! -d %1$s ] || mount -t tmpfs none %1$s; ".formatted(folder));
    }
    String java = variables.get("JAVA_HOME");
    if (java != null) {
      // The one Java that it may see is bound to another place before its own is hidden.
      script.insert(0, "mount --bind %s %s; ".formatted(System.getProperty("java.home"), java));
    }
    script.append("cd ").append(work).append("; exec \"$@\"");
    List<String> command =
        new ArrayList<>(List.of("unshare", "--mount", "--", "sh", "-ec", script.toString(), "sh"));
    command.addAll(List.of("env", "-i"));
    variables.forEach((name, value) -> command.add(name + "=" + value));
    return command;
  }
}
