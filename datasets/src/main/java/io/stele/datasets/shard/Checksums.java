package io.stele.datasets.shard;

import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.ReadableFile;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;

/** The checksums of whole files, and of their blocks. */
public final class Checksums {
  private static final long MAPPED_PIECE = 1 << 30; // a buffer has less than two gigabytes

  private Checksums() {}

  /** The checksums of a file and of its {@link FileBlocks}. */
  static final class Summed {
    private final ShardManifest.Content content;
    private final int[] blocks;

    private Summed(ShardManifest.Content content, int[] blocks) {
      this.content = content;
      this.blocks = blocks;
    }

    ShardManifest.Content content() {
      return content;
    }

    /** One for each block, not to be written to. */
    int[] blocks() {
      return blocks;
    }
  }

  /** Somebody who gets the bytes of a file in their order. */
  private interface Sink {
    void take(byte[] bytes, int length) throws IOException;
  }

  public static ShardManifest.Content of(FileStore store, FilePath path) throws IOException {
    return read(store, path, (_, _) -> {});
  }

  /** Of a file and of its blocks. */
  static Summed withBlocks(FileStore store, FilePath path) throws IOException {
    IntStream.Builder blocks = IntStream.builder();
    // What is read at a time is a number of whole blocks, but for the end of the file.
    ShardManifest.Content content =
        read(
            store,
            path,
            (bytes, length) -> {
              for (int from = 0; from < length; from += FileBlocks.BYTES) {
                int count = Math.min(FileBlocks.BYTES, length - from);
                blocks.add(FileBlocks.checksum(bytes, from, count));
              }
            });
    return new Summed(content, blocks.build().toArray());
  }

  static ShardManifest.Content of(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
        Arena arena = Arena.ofConfined()) {
      return of(channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena));
    }
  }

  /** Of a file that is mapped. */
  static ShardManifest.Content of(MemorySegment file) {
    CRC32C crc = new CRC32C();
    for (long start = 0; start < file.byteSize(); start += MAPPED_PIECE) {
      long length = Math.min(MAPPED_PIECE, file.byteSize() - start);
      crc.update(file.asSlice(start, length).asByteBuffer());
    }
    return new ShardManifest.Content(file.byteSize(), (int) crc.getValue());
  }

  /** Copies a file over what is there, without syncing it. */
  static ShardManifest.Content copy(FileStore store, FilePath path, Path to) throws IOException {
    try (OutputStream target = Files.newOutputStream(to)) {
      return read(store, path, (bytes, length) -> target.write(bytes, 0, length));
    }
  }

  private static ShardManifest.Content read(FileStore store, FilePath path, Sink sink)
      throws IOException {
    CRC32C crc = new CRC32C();
    try (ReadableFile file = store.open(path)) {
      byte[] buffer = new byte[Math.clamp(file.length(), 1, 1 << 20)];
      long position = 0;
      while (position < file.length()) {
        int count = (int) Math.min(buffer.length, file.length() - position);
        file.read(position, buffer, 0, count);
        crc.update(buffer, 0, count);
        sink.take(buffer, count);
        position += count;
      }
      return new ShardManifest.Content(position, (int) crc.getValue());
    }
  }
}
