package io.stele.bench.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The memory of processes as the kernel counts it.
 *
 * @param bytes all that is resident, mapped files included
 * @param anonymousBytes of these what is backed by no file
 */
public record ResidentMemory(long bytes, long anonymousBytes) {

  /** Of some processes together. */
  public static ResidentMemory of(List<ProcessHandle> processes) throws IOException {
    ResidentMemory sum = new ResidentMemory(0, 0);
    for (ProcessHandle process : processes) {
      Path status = Path.of("/proc", Long.toString(process.pid()), "status");
      ResidentMemory one = parse(Files.readAllLines(status));
      sum = new ResidentMemory(sum.bytes + one.bytes, sum.anonymousBytes + one.anonymousBytes);
    }
    return sum;
  }

  /** From the lines of {@code /proc/PID/status}. */
  static ResidentMemory parse(List<String> lines) {
    return new ResidentMemory(kilobytes(lines, "VmRSS:") << 10, kilobytes(lines, "RssAnon:") << 10);
  }

  private static long kilobytes(List<String> lines, String field) {
    for (String line : lines) {
      if (line.startsWith(field)) {
        String rest = line.substring(field.length()).trim();
        return Long.parseLong(rest.substring(0, rest.indexOf(' ')));
      }
    }
    throw new IllegalStateException(
        "the kernel tells no %s of the process: it has ended".formatted(field));
  }
}
