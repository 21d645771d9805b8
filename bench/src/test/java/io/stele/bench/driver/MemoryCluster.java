package io.stele.bench.driver;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Tables as maps in the driver's own process, on servers that do nothing: a server is a process
 * that wrote its number to a file of its name, and lives as long as that. What runs on it tests the
 * benchmark, not a store.
 */
public final class MemoryCluster extends MemoryStore implements ClusterStore {
  private final Path directory;
  private final int lost;
  private final Map<String, String> places = new ConcurrentHashMap<>(); // by table and row

  /**
   * Servers that write to a directory.
   *
   * @param lost rows that a count leaves out
   */
  public MemoryCluster(Path directory, int lost) {
    super(false);
    this.directory = directory;
    this.lost = lost;
  }

  /** The arguments are the directory and how many rows a count leaves out. */
  public static void main(String[] arguments) throws Exception {
    ClusterDriver.serve(new MemoryCluster(Path.of(arguments[0]), Integer.parseInt(arguments[1])));
  }

  @Override
  public boolean tryWrite(String table, String key) {
    return rows(table).containsKey(key);
  }

  @Override
  public boolean tryCreate(String table) {
    create(table, List.of());
    return true;
  }

  @Override
  public long count(String table) {
    return (long) rows(table).size() - lost;
  }

  @Override
  public List<String> servers() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(file -> file.toString().endsWith(".pid"))
          .filter(MemoryCluster::lives)
          .map(file -> file.getFileName().toString().replace(".pid", ""))
          .sorted()
          .toList();
    }
  }

  private static boolean lives(Path file) {
    try {
      String pid = Files.readString(file).strip();
      return !pid.isEmpty()
          && ProcessHandle.of(Long.parseLong(pid)).map(ProcessHandle::isAlive).orElse(false);
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public int tablets(String address) {
    return 1_000;
  }

  @Override
  public String locate(String table, String row) throws IOException {
    List<String> living = servers();
    String place = places.getOrDefault(table + "/" + row, living.getFirst());
    return living.contains(place) ? place : living.getFirst();
  }

  @Override
  public void move(String table, String row, String address) {
    places.put(table + "/" + row, address);
  }

  @Override
  public void moveCatalogOff(String address) {}

  @Override
  public void spread() {}
}
