package io.stele.tables;

import static io.stele.testkit.table.TableFixture.bytes;
import static io.stele.testkit.table.TableFixture.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.SteleException;
import io.stele.base.file.CrashMode;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The machine stops at every moment at which something becomes durable, while the server does one
 * thing: after restart nothing acknowledged is lost, META is in order, no file is missing, and none
 * stays that nothing needs.
 */
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
class CrashPointsTest {
  private static final TableSchema OLD =
      TableSchema.of(GroupSchema.of("main", "f", "g"), GroupSchema.of("other", "h"));

  /** Family h has gone, and g has moved. */
  private static final TableSchema NEW =
      TableSchema.of(GroupSchema.of("main", "f"), GroupSchema.of("fresh", "g", "i"));

  private static final List<String> ALL = cells("f", "g", "h");
  private static final List<String> WITHOUT_H = cells("f", "g");

  /** What the server does when the machine stops. */
  enum Operation {
    CREATE {
      @Override
      void run(TabletServer server) {
        server.create("n", OLD, List.of(bytes("a"), bytes("b")));
      }

      @Override
      void check(TestServer after, boolean done) {
        super.check(after, done);
        boolean exists = after.server.list(false).contains("n");
        assertThat(exists || !done).isTrue();
        if (exists) {
          assertThat(after.server.tablets("n")).hasSize(3);
          after.table("n").apply(put("a", "f:x", 1, "1"), put("c", "h:x", 1, "1"));
        } else {
          after.server.create("n", OLD, List.of());
        }
      }
    },
    LOAD {
      @Override
      void prepare(TabletServer server) {
        server.unloadTable("t");
      }

      @Override
      void run(TabletServer server) {
        server.loadTable("t");
      }
    },
    UNLOAD {
      @Override
      void run(TabletServer server) {
        server.unloadTable("t");
      }
    },
    SPLIT {
      @Override
      void run(TabletServer server) {
        server.split("t", bytes("r10"), bytes("r10"));
      }

      @Override
      void check(TestServer after, boolean done) {
        super.check(after, done);
        assertThat(after.server.tablets("t").size()).isBetween(done ? 2 : 1, 2);
      }
    },
    JOIN {
      @Override
      void prepare(TabletServer server) {
        server.split("t", bytes("r10"), bytes("r10"));
      }

      @Override
      void run(TabletServer server) {
        server.join("t", bytes("r05"));
      }

      @Override
      void check(TestServer after, boolean done) {
        super.check(after, done);
        assertThat(after.server.tablets("t").size()).isBetween(1, done ? 1 : 2);
      }
    },
    FLUSH {
      @Override
      void run(TabletServer server) {
        server.flush("t");
      }
    },
    COMPACTION {
      @Override
      void prepare(TabletServer server) {
        server.flush("t");
      }

      @Override
      void run(TabletServer server) {
        server.compact("t");
      }
    },
    TRUNCATE {
      @Override
      void run(TabletServer server) {
        server.truncate("t");
      }

      @Override
      void check(TestServer after, boolean done) {
        List<String> found = after.table("t").all();
        if (done || !found.equals(ALL)) {
          assertThat(found).isEmpty();
        }
      }
    },
    DROP {
      @Override
      void run(TabletServer server) {
        server.drop("t");
      }

      @Override
      void check(TestServer after, boolean done) {
        if (after.server.list(false).contains("t")) {
          assertThat(done).isFalse();
          super.check(after, false);
        } else {
          after.server.create("t", OLD, List.of());
          assertThat(after.table("t").all()).isEmpty();
        }
      }
    },
    COPY {
      @Override
      void run(TabletServer server) {
        server.copy("t", "c");
      }

      @Override
      void check(TestServer after, boolean done) {
        super.check(after, done);
        boolean exists = after.server.list(false).contains("c");
        assertThat(exists || !done).isTrue();
        if (exists) {
          assertThat(after.table("c").all()).isEqualTo(ALL);
          after.server.drop("t");
          after.server.runUpkeep();
          assertThat(after.table("c").all()).isEqualTo(ALL);
          after.server.compact("c");
          assertThat(after.table("c").all()).isEqualTo(ALL);
        } else {
          after.server.create("c", OLD, List.of());
        }
      }
    },
    SCHEMA_CHANGE {
      @Override
      void run(TabletServer server) {
        server.alter("t", NEW);
      }

      @Override
      void check(TestServer after, boolean done) {
        boolean changed = after.server.schema("t").equals(NEW);
        assertThat(changed || !done).isTrue();
        assertThat(after.table("t").all()).isEqualTo(changed ? WITHOUT_H : ALL);
        after.server.compact("t");
        assertThat(after.table("t").all()).isEqualTo(changed ? WITHOUT_H : ALL);
      }
    },
    DELETION_OF_FILES {
      @Override
      void prepare(TabletServer server) {
        server.flush("t");
        server.compact("t");
      }

      @Override
      void run(TabletServer server) {
        server.runUpkeep();
        server.flush("s");
      }
    },
    CLOSE {
      @Override
      void run(TabletServer server) {
        server.close();
      }
    };

    void prepare(TabletServer server) {}

    abstract void run(TabletServer server);

    /**
     * Looks at the table after the restart.
     *
     * @param done the operation was acknowledged
     */
    void check(TestServer after, boolean done) {
      assertThat(after.table("t").all()).isEqualTo(ALL);
    }
  }

  private static List<String> cells(String... families) {
    List<String> cells = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      for (String family : families) {
        cells.add("r%02d/%s:c@1=v%d".formatted(i, family, i));
      }
    }
    return cells;
  }

  private static void write(TestServer server, int from, int to) {
    for (int i = from; i < to; i++) {
      String row = "r%02d".formatted(i);
      String value = "v" + i;
      server
          .table("t")
          .apply(put(row, "f:c", 1, value), put(row, "g:c", 1, value), put(row, "h:c", 1, value));
    }
  }

  /** Table t has two files in each group and a log; table s has a log only. */
  private static TestServer prepared(MemoryFileStore files, Operation operation) {
    TestServer server = TestServer.open(files);
    server.server.create("s", TableSchema.ofFamilies("f"), List.of());
    server.server.create("t", OLD, List.of());
    server.table("s").apply(put("row", "f:c", 1, "bystander"));
    write(server, 0, 8);
    server.server.flush("t");
    write(server, 8, 14);
    server.server.flush("t");
    write(server, 14, 20);
    operation.prepare(server.server);
    return server;
  }

  @ParameterizedTest
  @EnumSource(Operation.class)
  void nothingAcknowledgedIsLostAndNothingIsLeftBehind(Operation operation) {
    boolean crashed = true;
    int points = 0;
    for (int k = 1; crashed; k++) {
      MemoryFileStore files = new MemoryFileStore();
      TestServer before = prepared(files, operation);
      long point = files.crashAtSync(k); // counted while servers may still sync by themselves
      boolean done = attempt(() -> operation.run(before.server));
      crashed = files.syncPoints() >= point;
      points = k;
      String about = "%s, crash at sync %d, %s".formatted(operation, k, done ? "done" : "failed");
      MemoryFileStore lost = files.crash(CrashMode.dropUnsynced());
      MemoryFileStore torn = files.crash(CrashMode.tornTails(k, CrashMode.Tail.GARBAGE));
      MemoryFileStore kept = files.crash(CrashMode.processKilled());
      before.abandon();
      recover(lost, operation, done, about + ", unsynced lost");
      recover(torn, operation, done, about + ", torn tails");
      recover(kept, operation, done, about + ", process killed");
    }
    assertThat(points).as("crash points of %s", operation).isGreaterThan(1);
  }

  /** True if it was acknowledged. */
  private static boolean attempt(Runnable operation) {
    try {
      operation.run();
      return true;
    } catch (SteleException e) {
      return false;
    }
  }

  private static void recover(
      MemoryFileStore files, Operation operation, boolean done, String about) {
    Bytes row = bytes("new");
    try (TestServer after = TestServer.open(files)) {
      assertThat(after.table("s").all()).as(about).containsExactly("row/f:c@1=bystander");
      try {
        operation.check(after, done);
      } catch (AssertionError e) {
        throw new AssertionError(about + ": " + e.getMessage(), e);
      }
      after.checkFiles(about);
      after.table("s").apply(put(row.toUtf8(), "f:c", 1, "later"));
    }
    try (TestServer again = TestServer.open(files)) {
      assertThat(again.logFiles())
          .as("%s: logs after a clean end", about)
          .hasSizeLessThanOrEqualTo(1);
      assertThat(again.table("s").all())
          .as(about)
          .containsExactly("new/f:c@1=later", "row/f:c@1=bystander");
      again.checkFiles(about + ", closed and opened again");
    }
  }

  /** The start of a server with a log to replay is an operation as well. */
  @ParameterizedTest
  @EnumSource(CrashMode.Unsynced.class)
  void aStartThatCrashesIsRepeated(CrashMode.Unsynced unsynced) {
    CrashMode mode = new CrashMode(unsynced, CrashMode.Tail.NONE, 7);
    boolean crashed = true;
    for (int k = 1; crashed; k++) {
      MemoryFileStore first = new MemoryFileStore();
      TestServer before = prepared(first, Operation.FLUSH);
      MemoryFileStore second = first.crash(mode);
      before.abandon();
      second.crashAtSync(k);
      TestServer[] opened = new TestServer[1];
      boolean done = attempt(() -> opened[0] = openAnyhow(second));
      crashed = second.syncPoints() >= k;
      MemoryFileStore third = second.crash(mode);
      if (opened[0] != null) {
        opened[0].abandon();
      }
      recover(third, Operation.FLUSH, done, "crash at sync " + k + " of a start, " + mode);
    }
  }

  private static TestServer openAnyhow(MemoryFileStore files) {
    try {
      return TestServer.open(files);
    } catch (CompletionException e) {
      if (e.getCause() instanceof SteleException known) {
        throw known;
      }
      throw e;
    }
  }
}
