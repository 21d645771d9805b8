package io.stele.bench.dataset;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;

/** The least that a load could be: the files of a version, copied and synced. */
final class Copy {
  private Copy() {}

  static void of(Path version, Path target) throws IOException {
    List<Path> files;
    try (Stream<Path> listed = Files.list(version)) {
      files = listed.filter(Files::isRegularFile).toList();
    }
    for (Path file : files) {
      Path copied = target.resolve(file.getFileName().toString());
      Files.copy(file, copied);
      try (FileChannel channel = FileChannel.open(copied, StandardOpenOption.WRITE)) {
        channel.force(true);
      }
    }
  }
}
