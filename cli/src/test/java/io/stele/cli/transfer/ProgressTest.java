package io.stele.cli.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ProgressTest {
  private static final long SECOND = 1_000_000_000L;

  private final StringWriter err = new StringWriter();
  private final AtomicLong now = new AtomicLong();

  private Progress progress(boolean bar, long total) {
    return new Progress(new PrintWriter(err), bar, total, now::get);
  }

  @Test
  void aBarIsDrawnOverAndOverAndTakenAway() {
    Progress progress = progress(true, 1_000);
    progress.update(10, 1);
    assertThat(err.toString()).isEmpty();
    now.set(30 * SECOND);
    progress.update(250, 3_000);
    assertThat(err.toString())
        .isEqualTo("\r\u001b[K[#######.......................]  25%  1:30 left  3,000 rows, 100/s");
    now.set(31 * SECOND);
    progress.update(1_001, 3_100);
    assertThat(err.toString())
        .endsWith("\r\u001b[K[##############################] 100%  0:00 left  3,100 rows, 100/s");
    progress.clear();
    progress.clear();
    assertThat(err.toString()).endsWith("100/s\r\u001b[K");
  }

  @Test
  void withoutATerminalThereIsALineNowAndThen() {
    Progress progress = progress(false, 200);
    now.set(4 * SECOND);
    progress.update(100, 10);
    now.set(5 * SECOND);
    progress.update(100, 10_000);
    progress.update(100, 10_001);
    progress.clear();
    assertThat(err.toString()).isEqualTo(" 50%  10,000 rows, 2,000/s\n");
  }

  @Test
  void withoutATotalThereAreOnlyRows() {
    Progress progress = progress(true, 0);
    now.set(SECOND);
    progress.update(0, 7);
    assertThat(err.toString()).isEqualTo("\r\u001b[K7 rows, 7/s");
    assertThat(progress.elapsed().toSeconds()).isEqualTo(1);
  }
}
