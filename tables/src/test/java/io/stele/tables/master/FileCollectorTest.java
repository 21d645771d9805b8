package io.stele.tables.master;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.CorruptDataException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.file.WritableFile;
import io.stele.base.table.StoredFiles.Garbage;
import io.stele.base.table.StoredFiles.TrashedFile;
import io.stele.tables.files.Trash;
import io.stele.tables.master.Orders.Answer;
import io.stele.tables.meta.FragmentRef;
import io.stele.tables.meta.LogRef;
import io.stele.tables.meta.TabletConfig;
import io.stele.testkit.ManualClock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Each test is a way in which a file that is needed could be taken for one that is not. */
class FileCollectorTest {
  private static final LiveServer A = new LiveServer("s1", "a:1");
  private static final LiveServer B = new LiveServer("s2", "b:1");
  private static final LiveServer NEW = new LiveServer("s9", "n:1");

  private final MemoryFileStore files = new MemoryFileStore();
  private final MemoryFileStore logs = new MemoryFileStore();
  private final List<LiveServer> live = new ArrayList<>(List.of(A, B));
  private final Map<LiveServer, ServerReport> reports = new HashMap<>();
  private final Set<LiveServer> silent = new HashSet<>();
  private final Map<String, TabletConfig> meta = new TreeMap<>();
  private Runnable whileReporting = () -> {};
  private Runnable whileReading = () -> {};
  private Runnable afterReading = () -> {};
  private int steps;
  private Optional<String> foreign = Optional.empty();

  private final ManualClock clock = new ManualClock();
  private final Trash trash = new Trash(files, logs, clock, Duration.ofHours(24));

  private final FileCollector collector =
      new FileCollector(
          files, logs, () -> List.copyOf(live), this::report, this::read, () -> foreign, trash);

  @BeforeEach
  void twoServersWithATabletEach() throws IOException {
    reports.put(A, report(A, 10, 0));
    reports.put(B, report(B, 10, 0));
    save("a", A, fragment(A, 1));
    save("b", B, fragment(B, 1));
    write(files, fragment(A, 1));
    write(files, fragment(B, 1));
    write(logs, log(A, "1.log"));
    write(logs, log(B, "1.log"));
  }

  private static FilePath fragment(LiveServer server, int number) {
    return FilePath.of("fragments/%s/%010d.frag".formatted(server.run(), number));
  }

  private static FilePath log(LiveServer server, String name) {
    return FilePath.of("log/" + server.run() + "/" + name);
  }

  private static void write(MemoryFileStore store, FilePath path) throws IOException {
    try (WritableFile file = store.create(path)) {
      file.write(new byte[7], 0, 7);
    }
  }

  /** A server whose next file has a number, and that may yet name those from another on. */
  private static ServerReport report(LiveServer server, int next, int pending, FilePath... inUse) {
    return new ServerReport(
        server,
        List.of(),
        pending == 0 ? Optional.empty() : Optional.of(fragment(server, pending)),
        fragment(server, next),
        Set.of(inUse),
        0);
  }

  /** META names these files for a tablet of a server. */
  private void save(String table, LiveServer owner, FilePath... fragments) {
    TreeMap<String, List<FragmentRef>> chains = new TreeMap<>();
    chains.put("g", List.of(fragments).stream().map(FragmentRef::whole).toList());
    meta.put(
        table,
        TabletConfig.empty(table, Bytes.EMPTY, Optional.empty())
            .withServer(owner.address(), List.of(new LogRef(FilePath.of("log/" + owner.run()), 0)))
            .withFragments(chains));
  }

  private Map<LiveServer, Answer<ServerReport>> report(List<LiveServer> servers) {
    whileReporting.run();
    Map<LiveServer, Answer<ServerReport>> answers = new LinkedHashMap<>();
    for (LiveServer server : servers) {
      answers.put(
          server,
          silent.contains(server)
              ? new Answer.Failed<>(new UnavailableException("no answer"))
              : new Answer.Given<>(reports.getOrDefault(server, report(server, 1, 0))));
    }
    steps++;
    return answers;
  }

  private List<TabletConfig> read() {
    whileReading.run();
    List<TabletConfig> read = List.copyOf(meta.values());
    afterReading.run();
    steps++;
    return read;
  }

  private List<String> collected() {
    Garbage told = collector.collect(false, false);
    assertThat(told.blocked()).isEmpty();
    Garbage done = collector.collect(true, false);
    assertThat(done.files()).as("a dry run tells what is done").isEqualTo(told.files());
    return done.files();
  }

  private List<String> left(MemoryFileStore store, String directory) throws IOException {
    return store.list(FilePath.of(directory)).stream()
        .map(FileInfo::path)
        .map(FilePath::name)
        .toList();
  }

  @Test
  void nothingGoesWhereTheFilesAreAnotherClusters() throws IOException {
    write(files, fragment(A, 2));
    foreign = Optional.of("these are another cluster's");
    Garbage garbage = collector.collect(true, false);
    assertThat(garbage.blocked()).isEqualTo("these are another cluster's");
    assertThat(garbage.files()).isEmpty();
    assertThat(left(files, "fragments/s1")).hasSize(2);
  }

  @Test
  void whatGoesStaysInTheTrashForAWhile() throws IOException {
    write(files, fragment(A, 2));
    write(logs, FilePath.of("log/s0/1.log"));
    assertThat(collected()).containsExactly(fragment(A, 2).toString(), "log/s0/1.log");
    assertThat(files.stat(fragment(A, 2))).isEmpty();
    assertThat(trash.list())
        .extracting(TrashedFile::path)
        .containsExactlyInAnyOrder(fragment(A, 2).toString(), "log/s0/1.log");
    assertThat(trash.restore("fragments")).containsExactly(fragment(A, 2).toString());
    assertThat(files.stat(fragment(A, 2))).isPresent();
  }

  @Test
  void nothingGoesWhereMetaHasAHole() throws IOException {
    write(files, fragment(A, 2)); // of the tablet whose row is missing
    meta.put(
        "a",
        TabletConfig.empty("a", Bytes.utf8("m"), Optional.empty())
            .withServer(A.address(), List.of(new LogRef(FilePath.of("log/" + A.run()), 0))));
    Garbage garbage = collector.collect(true, true);
    assertThat(garbage.blocked()).contains("META is not whole").contains("begins behind row");
    assertThat(left(files, "fragments/s1")).hasSize(2);
  }

  @Test
  void nothingGoesWhereTwoTabletsHaveTheSameRows() {
    meta.put("Z", TabletConfig.empty("a", Bytes.EMPTY, Optional.of(Bytes.utf8("m"))));
    assertThat(collector.collect(true, true).blocked()).contains("both have the rows between");
  }

  @Test
  void nothingGoesBesideAFileOfAnUnknownKind() throws IOException {
    write(files, fragment(A, 2));
    write(files, FilePath.of("fragments/s1/0000000003.frag2"));
    assertThat(collector.collect(true, true).blocked())
        .contains("fragments/s1/0000000003.frag2 is neither a fragment nor a log");
    assertThat(left(files, "fragments/s1")).hasSize(3);
  }

  @Test
  void moreThanHalfOfAllFilesGoesOnlyIfSomebodyAsksForIt() throws IOException {
    LiveServer gone = new LiveServer("s0", "g:1");
    for (int i = 1; i <= 101; i++) {
      write(files, fragment(gone, i));
    }
    Garbage stopped = collector.collect(true, false);
    assertThat(stopped.blocked()).contains("101 of 105 files");
    assertThat(stopped.files()).as("listed for the operator").hasSize(101);
    assertThat(left(files, "fragments/s0")).hasSize(101);
    Garbage asked = collector.collect(true, true);
    assertThat(asked.blocked()).isEmpty();
    assertThat(asked.files()).hasSize(101);
    assertThat(left(files, "fragments/s0")).isEmpty();
  }

  @Test
  void whatLivingServersLetGoMayBeMoreThanHalf() throws IOException {
    reports.put(A, report(A, 500, 0));
    for (int i = 2; i <= 200; i++) {
      write(files, fragment(A, i));
    }
    assertThat(collector.collect(true, false).files()).hasSize(199);
  }

  @Test
  void filesThatNothingNamesGoAndOthersStay() throws IOException {
    write(files, fragment(A, 2));
    write(files, fragment(B, 3));
    assertThat(collected()).containsExactly(fragment(A, 2).toString(), fragment(B, 3).toString());
    assertThat(left(files, "fragments/s1")).containsExactly("0000000001.frag");
    assertThat(left(files, "fragments/s2")).containsExactly("0000000001.frag");
    assertThat(collected()).isEmpty();
  }

  @Test
  void aDryRunDeletesNothing() throws IOException {
    write(files, fragment(A, 2));
    Garbage told = collector.collect(false, false);
    assertThat(told.files()).hasSize(1);
    assertThat(told.bytes()).isEqualTo(7);
    assertThat(left(files, "fragments/s1")).hasSize(2);
  }

  @Test
  void aSlowCompactionKeepsItsFilesAndAllLaterOnes() throws IOException {
    reports.put(A, report(A, 10, 4));
    for (int number = 2; number < 8; number++) {
      write(files, fragment(A, number));
    }
    assertThat(collected()).containsExactly(fragment(A, 2).toString(), fragment(A, 3).toString());
  }

  @Test
  void aFileMadeSinceTheReportStays() throws IOException {
    write(files, fragment(A, 10));
    write(files, fragment(A, 11));
    assertThat(collected()).isEmpty();
  }

  /** Were META read before the reports, it would be named nowhere. */
  @Test
  void aFileThatComesIntoMetaBetweenTheStepsStays() throws IOException {
    write(files, fragment(A, 5));
    reports.put(A, report(A, 10, 5));
    whileReporting =
        () -> { // the compaction ends: META names the file, then the server no longer reports it
          if (steps == 0) {
            save("a", A, fragment(A, 5));
            reports.put(A, report(A, 10, 0));
          }
        };
    assertThat(collector.collect(true, false).files()).containsExactly(fragment(A, 1).toString());
    assertThat(left(files, "fragments/s1")).containsExactly("0000000005.frag");
  }

  /** Were files listed after META was read, what came and went since would be named nowhere. */
  @Test
  void aFileOfAServerThatCameAndWentMeanwhileStays() throws IOException {
    afterReading =
        () -> {
          try {
            write(files, fragment(NEW, 1));
            save("a", NEW, fragment(NEW, 1));
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        };
    assertThat(collector.collect(true, false).files()).isEmpty();
    assertThat(left(files, "fragments/s9")).hasSize(1);
  }

  @Test
  void aFileThatAScanReadsStays() throws IOException {
    write(files, fragment(A, 2));
    reports.put(B, report(B, 10, 0, fragment(A, 2)));
    assertThat(collected()).isEmpty();
  }

  @Test
  void aServerThatDoesNotReportStopsEverything() throws IOException {
    write(files, fragment(B, 2));
    silent.add(A);
    Garbage garbage = collector.collect(true, false);
    assertThat(garbage.files()).isEmpty();
    assertThat(garbage.blocked())
        .isEqualTo("server a:1 does not say which files it needs: no answer");
    assertThat(left(files, "fragments/s2")).hasSize(2);
  }

  @Test
  void aServerThatJoinsMeanwhileStopsEverything() throws IOException {
    write(files, fragment(B, 2));
    whileReading = () -> live.add(NEW);
    Garbage garbage = collector.collect(true, false);
    assertThat(garbage.files()).isEmpty();
    assertThat(garbage.blocked()).contains("server n:1 has joined meanwhile");
  }

  @Test
  void metaThatCannotBeReadStopsEverything() throws IOException {
    write(files, fragment(B, 2));
    whileReading =
        () -> {
          throw new CorruptDataException("META", 0, "a row", "none");
        };
    Garbage garbage = collector.collect(true, false);
    assertThat(garbage.files()).isEmpty();
    assertThat(garbage.blocked()).contains("META").contains("expected a row, found none");
    assertThat(left(files, "fragments/s2")).hasSize(2);
  }

  @Test
  void filesAndLogsOfADeadServerGoOnceOthersHaveItsTablets() throws IOException {
    write(files, fragment(B, 2));
    write(files, fragment(B, 99));
    live.remove(B);
    save("b", A, fragment(B, 1));
    assertThat(collected())
        .containsExactly(
            fragment(B, 2).toString(), fragment(B, 99).toString(), log(B, "1.log").toString());
    assertThat(left(logs, "log")).containsExactly("s1");
    assertThat(left(files, "fragments/s2")).containsExactly("0000000001.frag");
  }

  /** What it sent to META before it died may yet be applied while nobody has taken its tablet. */
  @Test
  void filesOfADeadServerStayWhileATabletHasNoServer() throws IOException {
    write(files, fragment(B, 2));
    write(files, fragment(A, 2));
    live.remove(B);
    assertThat(collected()).containsExactly(fragment(A, 2).toString());
    save("b", A, fragment(B, 1));
    meta.put("c", TabletConfig.empty("c", Bytes.EMPTY, Optional.empty()));
    assertThat(collected()).as("a tablet that it may have been taking over").isEmpty();
    meta.remove("c");
    assertThat(collected()).contains(fragment(B, 2).toString());
  }

  @Test
  void aServerThatDiesBetweenTheStepsIsTreatedAsLiving() throws IOException {
    write(files, fragment(B, 2));
    write(files, fragment(B, 5));
    reports.put(B, report(B, 10, 5));
    whileReading =
        () -> {
          live.remove(B);
          save("b", A, fragment(B, 1));
        };
    Garbage garbage = collector.collect(true, false);
    assertThat(garbage.files()).containsExactly(fragment(B, 2).toString());
    assertThat(left(logs, "log/s2")).as("its log").hasSize(1);
  }

  @Test
  void logsThatATabletIsYetToBeReplayedFromStay() throws IOException {
    live.remove(B);
    TabletConfig taken =
        meta.getOrDefault("b", TabletConfig.empty("b", Bytes.EMPTY, Optional.empty()));
    meta.put(
        "b",
        taken.withServer(
            A.address(),
            List.of(new LogRef(FilePath.of("log/s2"), 0), new LogRef(FilePath.of("log/s1"), 4))));
    assertThat(collected()).isEmpty();
    save("b", A, fragment(B, 1));
    assertThat(collected()).containsExactly(log(B, "1.log").toString());
  }

  @Test
  void logsOfLivingServersAreTheirOwnToDelete() throws IOException {
    meta.clear();
    assertThat(collected()).noneMatch(name -> name.startsWith("log/"));
    assertThat(left(logs, "log/s1")).hasSize(1);
  }
}
