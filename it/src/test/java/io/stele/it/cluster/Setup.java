package io.stele.it.cluster;

import io.stele.it.SteleProcess;
import io.stele.it.metastore.TestNetwork;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a cluster of a test is made of.
 *
 * @param name of the folder of its logs
 * @param members of the metastore, of which the first two stand ready to be the master
 * @param servers of tablets
 * @param program what runs a server: the launcher, or a JVM
 * @param files where fragments and logs are; a directory of the test's own if there is none
 * @param session of tablet servers
 * @param settings of all nodes, such as {@code tables.split-at=1MiB}
 */
record Setup(
    String name,
    int members,
    int servers,
    TestNetwork network,
    List<String> program,
    Optional<String> files,
    Duration session,
    List<String> settings) {
  private static final Duration SESSION = Duration.ofSeconds(3);

  Setup {
    program = List.copyOf(program);
    settings = List.copyOf(settings);
  }

  /** Of one member and so many servers, by the launcher, on the loopback. */
  static Setup of(String name, int servers) {
    return new Setup(
        name,
        1,
        servers,
        new TestNetwork.Loopback(),
        List.of(SteleProcess.launcher()),
        Optional.empty(),
        SESSION,
        List.of());
  }

  Setup withMembers(int count) {
    return new Setup(name, count, servers, network, program, files, session, settings);
  }

  Setup withSession(Duration time) {
    return new Setup(name, members, servers, network, program, files, time, settings);
  }

  Setup withNetwork(TestNetwork newNetwork) {
    return new Setup(name, members, servers, newNetwork, program, files, session, settings);
  }

  Setup withProgram(List<String> newProgram) {
    return new Setup(name, members, servers, network, newProgram, files, session, settings);
  }

  Setup withFiles(String uri) {
    return new Setup(name, members, servers, network, program, Optional.of(uri), session, settings);
  }

  Setup with(String... more) {
    List<String> all = new ArrayList<>(settings);
    all.addAll(List.of(more));
    return new Setup(name, members, servers, network, program, files, session, all);
  }
}
