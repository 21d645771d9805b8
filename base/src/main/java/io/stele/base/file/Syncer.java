package io.stele.base.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The two ways to make local changes durable, apart so that a test can count or fail them. */
interface Syncer {
  /** What the operating system offers. */
  Syncer SYSTEM =
      new Syncer() {
        @Override
        public void file(FileChannel channel, boolean lengthChanged) throws IOException {
          channel.force(lengthChanged);
        }

        @Override
        public void directory(Path directory) throws IOException {
          try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
          }
        }
      };

  /**
   * Makes a file's content durable.
   *
   * @param lengthChanged false if only bytes inside an already durable length were overwritten, in
   *     which case the file system needs no journal commit
   */
  void file(FileChannel channel, boolean lengthChanged) throws IOException;

  /** Makes the names that a directory holds durable. */
  void directory(Path directory) throws IOException;
}
