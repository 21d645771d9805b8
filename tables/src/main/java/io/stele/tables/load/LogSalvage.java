package io.stele.tables.load;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Finds logs of dead servers that are damaged, and lets tablets be served without what is lost in
 * them, which is for people to decide. Logs that are written at this moment are not damaged, but
 * end.
 */
public final class LogSalvage {
  private static final FilePath LOGS = FilePath.of("log");

  private final FileStore logs;

  /** Works on the place where the logs of all servers are. */
  public LogSalvage(FileStore logs) {
    this.logs = logs;
  }

  /**
   * A log with damage.
   *
   * @param run of the server that wrote it
   * @param salvaged true if tablets are served without what is lost
   * @param damages which transactions are lost, and where
   * @param records of each table that are whole, so that one can tell which tables were written
   */
  public record Damaged(
      String run, boolean salvaged, List<LogDamage> damages, Map<String, Long> records) {
    public Damaged {
      damages = List.copyOf(damages);
    }
  }

  /** The logs that are damaged. */
  public List<Damaged> look() {
    try {
      List<Damaged> found = new ArrayList<>();
      for (FileInfo run : logs.list(LOGS)) {
        if (run.directory()) {
          Damaged damaged = look(run.path());
          if (!damaged.damages().isEmpty()) {
            found.add(damaged);
          }
        }
      }
      return found;
    } catch (IOException e) {
      throw new UnavailableException("logs in " + logs.describe() + " cannot be read: " + e, e);
    }
  }

  private Damaged look(FilePath directory) throws IOException {
    DeadLog log = new DeadLog(logs, directory);
    LogReader reader = new LogReader(log);
    Map<String, Long> records = new TreeMap<>();
    reader.read(parsed -> records.merge(parsed.head().table().toUtf8(), 1L, Long::sum));
    return new Damaged(
        directory.name(), log.isSalvaged(), reader.damages(), new LinkedHashMap<>(records));
  }

  /**
   * Has tablets served without what is damaged in a log. Servers go on by themselves.
   *
   * @param note who decided it, for people
   */
  public Damaged accept(String run, String note) {
    FilePath directory = LOGS.resolve(run);
    try {
      if (logs.list(directory).isEmpty()) {
        throw new NotFoundException(
            "there is no log \"" + run + "\" in " + logs.describe() + "; see stele meta salvage");
      }
      Damaged damaged = look(directory);
      if (damaged.damages().isEmpty()) {
        throw new InvalidRequestException(
            "log \"" + run + "\" in " + logs.describe() + " is not damaged");
      }
      new DeadLog(logs, directory).salvage(note);
      return look(directory);
    } catch (IOException e) {
      throw new UnavailableException("log " + directory + " cannot be salvaged: " + e, e);
    }
  }
}
