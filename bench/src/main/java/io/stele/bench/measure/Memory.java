package io.stele.bench.measure;

import io.stele.base.error.UnavailableException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The memory that processes need. A JVM fills the heap that it is given, however large, so of its
 * heap only what is live after a full collection counts, and beside it all that is resident outside
 * the heap. Of other programs everything counts that is resident.
 *
 * @param needed the figure that is compared
 * @param resident as the kernel counts it, mapped files and garbage included
 * @param anonymous of these, what no file backs
 */
public record Memory(long needed, long resident, long anonymous) {
  /** How it is counted, for the notes of a result. */
  public static final String METHOD =
      "of a JVM: live heap after a full collection, and all that is resident outside the heap";

  /** A line of a heap's generation, in {@code jcmd GC.heap_info}. */
  private static final Pattern GENERATION =
      Pattern.compile("used (\\d+)K \\[0x([0-9a-f]+),.*0x([0-9a-f]+)\\)");

  private static final Pattern MAPPING = Pattern.compile("^([0-9a-f]+)-([0-9a-f]+) .*");

  /** Of some processes together. */
  public static Memory of(Collection<ProcessHandle> processes)
      throws IOException, InterruptedException {
    Memory sum = new Memory(0, 0, 0);
    for (ProcessHandle process : processes) {
      Memory one = of(process.pid());
      sum =
          new Memory(
              sum.needed + one.needed, sum.resident + one.resident, sum.anonymous + one.anonymous);
    }
    return sum;
  }

  private static Memory of(long pid) throws IOException, InterruptedException {
    Path directory = Path.of("/proc", Long.toString(pid));
    if (!Files.readSymbolicLink(directory.resolve("exe")).endsWith("java")) {
      return resident(Files.readAllLines(directory.resolve("status")));
    }
    var _ = jcmd(pid, "GC.run");
    List<Generation> heap = generations(jcmd(pid, "GC.heap_info"));
    Memory all = resident(Files.readAllLines(directory.resolve("status")));
    long inHeap = residentWithin(heap, Files.readAllLines(directory.resolve("smaps")));
    long live = heap.stream().mapToLong(Generation::used).sum();
    return new Memory(all.resident - inHeap + live, all.resident, all.anonymous);
  }

  private static String jcmd(long pid, String request) throws IOException, InterruptedException {
    Process jcmd =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                Long.toString(pid),
                request)
            .redirectErrorStream(true)
            .start();
    jcmd.getOutputStream().close();
    String said = new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (jcmd.waitFor() != 0) {
      throw new UnavailableException("jcmd %d %s failed: %s".formatted(pid, request, said.strip()));
    }
    return said;
  }

  /** Part of a heap: what objects in it use, and the addresses that are reserved for it. */
  record Generation(long used, long start, long end) {}

  static List<Generation> generations(String heapInfo) {
    List<Generation> found = new ArrayList<>();
    Matcher line = GENERATION.matcher(heapInfo);
    while (line.find()) {
      found.add(
          new Generation(
              Long.parseLong(line.group(1)) << 10,
              Long.parseUnsignedLong(line.group(2), 16),
              Long.parseUnsignedLong(line.group(3), 16)));
    }
    if (found.isEmpty()) {
      throw new IllegalStateException("jcmd tells no heap: " + heapInfo.strip());
    }
    return found;
  }

  /** From the lines of {@code /proc/PID/smaps}: what is resident at the addresses of a heap. */
  static long residentWithin(List<Generation> heap, List<String> smaps) {
    long bytes = 0;
    boolean within = false;
    for (String line : smaps) {
      Matcher mapping = MAPPING.matcher(line);
      if (mapping.matches()) {
        long start = Long.parseUnsignedLong(mapping.group(1), 16);
        within =
            heap.stream()
                .anyMatch(
                    part ->
                        Long.compareUnsigned(start, part.start) >= 0
                            && Long.compareUnsigned(start, part.end) < 0);
      } else if (within && line.startsWith("Rss:")) {
        bytes += kilobytes(line) << 10;
      }
    }
    return bytes;
  }

  /** From the lines of {@code /proc/PID/status}. */
  static Memory resident(List<String> status) {
    long resident = field(status, "VmRSS:");
    return new Memory(resident, resident, field(status, "RssAnon:"));
  }

  private static long field(List<String> status, String name) {
    return status.stream()
        .filter(line -> line.startsWith(name))
        .mapToLong(line -> kilobytes(line) << 10)
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "the kernel tells no %s of the process: it has ended".formatted(name)));
  }

  private static long kilobytes(String line) {
    String value = line.substring(line.indexOf(':') + 1).trim();
    return Long.parseLong(value.substring(0, value.indexOf(' ')));
  }
}
