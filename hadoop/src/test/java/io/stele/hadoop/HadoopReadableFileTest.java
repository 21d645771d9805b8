package io.stele.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stele.base.file.FilePath;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSInputStream;
import org.junit.jupiter.api.Test;

class HadoopReadableFileTest {
  private final CountDownLatch reading = new CountDownLatch(1);
  private final CountDownLatch mayEnd = new CountDownLatch(1);

  /** Breaks, as some streams of Hadoop do, if it is closed while it is read. */
  private final class FragileStream extends FSInputStream {
    private volatile boolean closed;

    @Override
    public int read(long position, byte[] target, int offset, int length) throws IOException {
      reading.countDown();
      try {
        if (!mayEnd.await(30, TimeUnit.SECONDS)) {
          throw new IOException("never let go");
        }
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
      if (closed) {
        throw new NullPointerException("closed under a reader");
      }
      return length;
    }

    @Override
    public int read() {
      return -1;
    }

    @Override
    public int read(byte[] target, int offset, int length) {
      return -1;
    }

    @Override
    public void seek(long position) {}

    @Override
    public long getPos() {
      return 0;
    }

    @Override
    public boolean seekToNewSource(long target) {
      return false;
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  @Test
  void closeWaitsForReadersThatAreUnderWay() throws Exception {
    FragileStream stream = new FragileStream();
    HadoopReadableFile file =
        new HadoopReadableFile(FilePath.of("file"), new FSDataInputStream(stream), 10);
    FutureTask<Boolean> read =
        new FutureTask<>(
            () -> {
              file.read(0, new byte[10], 0, 10);
              return true;
            });
    Thread reader = Thread.ofPlatform().start(read);
    assertThat(reading.await(30, TimeUnit.SECONDS)).isTrue();
    FutureTask<Boolean> close =
        new FutureTask<>(
            () -> {
              file.close();
              return true;
            });
    Thread closer = Thread.ofPlatform().start(close);
    await().until(() -> closer.getState() == Thread.State.WAITING || stream.closed);

    mayEnd.countDown();
    assertThat(read.get(30, TimeUnit.SECONDS)).isTrue();
    assertThat(close.get(30, TimeUnit.SECONDS)).isTrue();
    reader.join();
    closer.join();
    assertThat(stream.closed).isTrue();
  }
}
