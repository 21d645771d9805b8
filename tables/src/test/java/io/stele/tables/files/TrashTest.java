package io.stele.tables.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.table.StoredFiles.Emptied;
import io.stele.base.table.StoredFiles.TrashedFile;
import io.stele.testkit.ManualClock;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class TrashTest {
  private static final Duration DAY = Duration.ofHours(24);
  private static final FilePath ONE = FilePath.of("fragments/s1/0000000001.frag");
  private static final FilePath TWO = FilePath.of("fragments/s1/0000000002.frag");
  private static final FilePath LOG = FilePath.of("log/s1/0000000001.log");

  private final MemoryFileStore files = new MemoryFileStore();
  private final MemoryFileStore logs = new MemoryFileStore();
  private final ManualClock clock = new ManualClock();
  private final Trash trash = new Trash(files, logs, clock, DAY);

  private static void write(MemoryFileStore store, FilePath path, int bytes) throws IOException {
    store.replace(path, new byte[bytes]);
  }

  private List<String> paths() {
    return trash.list().stream().map(TrashedFile::path).toList();
  }

  @Test
  void filesLieUnderTheirTimeAndTheirPath() throws IOException {
    write(files, ONE, 10);
    trash.add(files, List.of(ONE, TWO));
    assertThat(files.stat(ONE)).isEmpty();
    assertThat(files.stat(FilePath.of("trash/19700112T134640Z/fragments/s1/0000000001.frag")))
        .isPresent();
    assertThat(trash.list()).containsExactly(new TrashedFile(ONE.value(), 10, 1_000_000_000_000L));
  }

  @Test
  void filesGoWhenTheyAreOldEnough() throws IOException {
    write(files, ONE, 10);
    write(logs, LOG, 5);
    trash.add(files, List.of(ONE));
    clock.advance(Duration.ofHours(1));
    trash.add(logs, List.of(LOG));
    assertThat(paths()).containsExactly(ONE.value(), LOG.value());
    clock.advance(Duration.ofHours(23).minusSeconds(1));
    assertThat(trash.tidy().old()).isEqualTo(new Emptied(0, 0));
    clock.advance(Duration.ofSeconds(1));
    assertThat(trash.tidy()).isEqualTo(new Trash.Tidied(new Emptied(1, 10), new Emptied(0, 0)));
    assertThat(paths()).containsExactly(LOG.value());
    assertThat(trash.empty(Duration.ZERO)).isEqualTo(new Emptied(1, 5));
    assertThat(files.list(Trash.ROOT)).as("no folder is left").isEmpty();
  }

  @Test
  void theOldestGoesEarlyWhereSpaceRunsLow() throws IOException {
    for (FilePath path : List.of(ONE, TWO)) {
      write(files, path, 400);
      trash.add(files, List.of(path));
      clock.advance(Duration.ofSeconds(10));
    }
    write(logs, LOG, 400);
    trash.add(logs, List.of(LOG));
    files.capacity(850);
    assertThat(trash.tidy()).isEqualTo(new Trash.Tidied(new Emptied(0, 0), new Emptied(1, 400)));
    assertThat(paths()).containsExactly(TWO.value(), LOG.value());
  }

  @Test
  void filesComeBack() throws IOException {
    write(files, ONE, 1);
    write(logs, LOG, 3);
    trash.add(files, List.of(ONE));
    trash.add(logs, List.of(LOG));
    clock.advance(Duration.ofSeconds(1));
    write(files, ONE, 7);
    trash.add(files, List.of(ONE));
    assertThat(trash.restore("fragments/s")).as("not a part of a name").isEmpty();
    assertThat(trash.restore("fragments")).containsExactly(ONE.value());
    assertThat(files.stat(ONE)).map(FileInfo::length).contains(7L);
    assertThat(trash.restore(LOG.value())).containsExactly(LOG.value());
    assertThat(logs.stat(LOG)).isPresent();
    assertThat(paths()).as("the older one cannot").containsExactly(ONE.value());
    assertThatThrownBy(() -> trash.restore("../etc")).isInstanceOf(InvalidRequestException.class);
  }

  @Test
  void whatIsNotItsOwnIsLeftAlone() throws IOException {
    FilePath foreign = FilePath.of("trash/notes/fragments/s1/0000000001.frag");
    write(files, foreign, 1);
    clock.advance(DAY.multipliedBy(9));
    assertThat(trash.empty(Duration.ZERO).files()).isZero();
    assertThat(trash.list()).isEmpty();
    assertThat(files.stat(foreign)).isPresent();
  }
}
