package io.stele.bench.report;

import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.RuntimeMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** On what, when and how a benchmark ran: a figure without these means nothing. */
public final class Machine {
  /** File systems that keep nothing: a sync there costs nothing and proves nothing. */
  private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs");

  private Machine() {}

  /** What is known, by name; the disk's latency is measured now. */
  public static Map<String, String> describe(Path directory) throws IOException {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("date", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
    facts.put(
        "processors",
        Runtime.getRuntime().availableProcessors()
            + field(Path.of("/proc/cpuinfo"), "model name").map(" × "::concat).orElse(""));
    field(Path.of("/proc/meminfo"), "MemTotal").ifPresent(text -> facts.put("memory", text));
    facts.put(
        "system",
        "%s %s %s"
            .formatted(
                System.getProperty("os.name"),
                System.getProperty("os.version"),
                System.getProperty("os.arch")));
    facts.put("disk", disk(directory));
    facts.put("jvm", jvm());
    facts.put("jvm flags", flags());
    return facts;
  }

  private static String disk(Path directory) throws IOException {
    String type = Files.getFileStore(directory).type();
    String latency = SyncProbe.measure(directory).toString();
    String warning =
        IN_MEMORY.contains(type) ? "; IN MEMORY: syncs prove nothing here, use --dir" : "";
    return type + ", " + latency + warning;
  }

  private static String jvm() {
    String collectors =
        ManagementFactory.getGarbageCollectorMXBeans().stream()
            .map(GarbageCollectorMXBean::getName)
            .collect(Collectors.joining(", "));
    return String.format(
        Locale.ROOT,
        "%s %s, heap at most %,d MiB, collectors %s",
        System.getProperty("java.vm.name"),
        System.getProperty("java.vm.version"),
        Runtime.getRuntime().maxMemory() >> 20,
        collectors);
  }

  private static String flags() {
    RuntimeMXBean runtime = ManagementFactory.getRuntimeMXBean();
    String flags =
        runtime.getInputArguments().stream()
            .filter(flag -> !flag.startsWith("-Dstele.")) // the launcher's own, as class paths are
            .collect(Collectors.joining(" "));
    return flags.isEmpty() ? "none" : flags;
  }

  /** The value of the first {@code name : value} line of a file of the kernel's. */
  private static Optional<String> field(Path file, String name) {
    try (var lines = Files.lines(file)) {
      return lines
          .filter(line -> line.startsWith(name))
          .map(line -> line.substring(line.indexOf(':') + 1).trim())
          .findFirst();
    } catch (IOException e) {
      return Optional.empty(); // not Linux
    }
  }
}
