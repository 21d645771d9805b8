package io.stele.it.datasets;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;

/**
 * Versions for nodes to find. A value says which version and key it is of, so that an answer can be
 * held against what it claims to be. Keys are dealt out to files one after the other: nothing is
 * sharded beforehand.
 */
record Source(Path root) {
  private static final int KEYS = 24;

  /** The keys of every version. */
  static List<String> keys() {
    return IntStream.range(0, KEYS).mapToObj(i -> "key/" + i).toList();
  }

  static String value(String version, String key) {
    return version + "=" + key;
  }

  /** Writes a version that is there as a whole or not at all. */
  void write(String dataset, String version, int files) {
    write(dataset, version, files, false);
  }

  /** Writes a version of which one file ends in the middle; answers that file's name. */
  String writeCut(String dataset, String version, int files) {
    write(dataset, version, files, true);
    return name(files - 1);
  }

  private static String name(int file) {
    return "part-%05d.tsv.gz".formatted(file);
  }

  private void write(String dataset, String version, int files, boolean cut) {
    Path staged = root.resolve(dataset).resolve("." + version);
    try {
      Files.createDirectories(staged);
      for (int file = 0; file < files; file++) {
        byte[] content = content(version, file, files);
        boolean last = file == files - 1;
        Files.write(
            staged.resolve(name(file)),
            cut && last ? Arrays.copyOf(content, content.length / 2) : content);
      }
      Files.createFile(staged.resolve("_SUCCESS"));
      Files.move(staged, root.resolve(dataset).resolve(version));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static byte[] content(String version, int file, int files) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream packed = new GZIPOutputStream(bytes)) {
      List<String> keys = keys();
      for (int i = file; i < keys.size(); i += files) {
        String line = keys.get(i) + "\t" + value(version, keys.get(i)) + "\n";
        packed.write(line.getBytes(StandardCharsets.UTF_8));
      }
    }
    return bytes.toByteArray();
  }
}
