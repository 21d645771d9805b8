package io.stele.tables.load;

import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.schema.GroupSchema;
import io.stele.tables.event.TableEvent;
import io.stele.tables.meta.FragmentRef;
import io.stele.tables.meta.LogRef;
import io.stele.tables.tablet.ChainEdit.Replayed;
import io.stele.tables.tablet.ChainEdit.Replayed.Insert;
import io.stele.tables.tablet.ChainEdit.Replayed.Part;
import io.stele.tables.tablet.EditSaver;
import io.stele.tables.tablet.Edited;
import io.stele.tables.tablet.ServerParts;
import io.stele.tables.tablet.Table;
import io.stele.tables.tablet.TableView;
import io.stele.tables.tablet.Tablet;
import io.stele.tables.tablet.TabletState;
import io.stele.tables.tablet.TabletView;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Reads the logs that tablets here are owed, and puts what they say into the tablets' chains.
 *
 * <p>A chain is in the order of transactions. The logs of a tablet follow each other, and so do the
 * files that the servers flushed which had it; each log ends where the next one begins:
 *
 * <pre>
 *   logs     A from 10         B from 50              this server's, from 90
 *   files    up to 50   [A]    50 to 90        [B]    since 90
 * </pre>
 *
 * What A flushed before it died comes before what is read from its log, as some of that may be in
 * both; what B flushed, which died before it had read A's log, comes behind it.
 */
final class Recovery {
  private final ServerParts server;
  private final FileStore logs;
  private final long pieceBytes;
  private final List<FilePath> written = new ArrayList<>();
  private final List<Edited> edits = new ArrayList<>(); // put in place
  private final Map<Tablet, SteleException> failed = new LinkedHashMap<>();
  private final Map<Tablet, List<Files>> found = new HashMap<>(); // for each log that it is owed
  private long records;

  /** New files for a tablet from one log, by group. */
  private static final class Files {
    final Map<String, List<FragmentRef>> byGroup = new HashMap<>();

    List<FragmentRef> of(String group) {
      return byGroup.getOrDefault(group, List.of());
    }
  }

  /**
   * A log that a tablet is owed.
   *
   * @param upToTxn all behind this transaction is said by the next log
   */
  private record Owed(Coming coming, int index, long upToTxn) {
    /** The last log ends where this server's own begins for the tablet. */
    static Owed of(Coming coming, int index) {
      List<LogRef> all = coming.owedLogs();
      long upToTxn =
          index + 1 < all.size()
              ? all.get(index + 1).fromTxn()
              : coming.table().view().find(coming.tablet()).map(TabletView::fromTxn).orElse(0L);
      return new Owed(coming, index, upToTxn); // of one that has left, nothing is wanted
    }

    LogRef log() {
      return coming.owedLogs().get(index);
    }

    LogReplay.Wanted wanted() {
      return new LogReplay.Wanted(
          coming.config().first(),
          coming.config().last(),
          log().fromTxn(),
          upToTxn(),
          log().schemaRevision());
    }
  }

  Recovery(ServerParts server, FileStore logs, long pieceBytes) {
    this.server = server;
    this.logs = logs;
    this.pieceBytes = pieceBytes;
  }

  /** Reads the logs, and makes those tablets active whose logs could all be read. */
  void run(Collection<Coming> coming) {
    Map<FilePath, Map<Table, List<Owed>>> byLog = new LinkedHashMap<>();
    for (Coming each : coming) {
      List<Files> files = new ArrayList<>();
      for (int i = 0; i < each.owedLogs().size(); i++) {
        files.add(new Files());
        byLog
            .computeIfAbsent(each.owedLogs().get(i).directory(), _ -> new LinkedHashMap<>())
            .computeIfAbsent(each.table(), _ -> new ArrayList<>())
            .add(Owed.of(each, i));
      }
      found.put(each.tablet(), files);
    }
    byLog.forEach(this::read);
    Map<Table, List<Coming>> readable = new LinkedHashMap<>();
    for (Coming each : coming) {
      if (!failed.containsKey(each.tablet())) {
        readable.computeIfAbsent(each.table(), _ -> new ArrayList<>()).add(each);
      }
    }
    readable.forEach(this::putInPlace);
  }

  /** Why tablets could not be made readable. */
  Map<Tablet, SteleException> failed() {
    return failed;
  }

  /** How many records of the logs were of the tablets' tables. */
  long records() {
    return records;
  }

  /** Has configurations saved that name the new files, and the logs no more. */
  void save(EditSaver saver) {
    saver.save(edits, written, _ -> {});
  }

  // ---- reading

  private void read(FilePath directory, Map<Table, List<Owed>> wanted) {
    DeadLog log = new DeadLog(logs, directory);
    LogReplay replay = new LogReplay(server, log, pieceBytes);
    wanted.forEach((table, owed) -> replay.want(table, owed.stream().map(Owed::wanted).toList()));
    try {
      replay.run();
      boolean salvaged = !replay.damages().isEmpty() && log.isSalvaged();
      if (salvaged) {
        server.report(
            new TableEvent.LogSalvaged(
                directory.toString(), replay.damages().stream().map(LogDamage::toString).toList()));
      }
      wanted.forEach(
          (table, owed) -> share(table, salvaged ? owed : whole(owed, replay.damages()), replay));
    } catch (SteleException e) {
      fail(wanted, e);
    } catch (IOException e) {
      fail(wanted, new UnavailableException("log " + directory + " could not be read: " + e, e));
    } finally {
      written.addAll(replay.files());
      records += replay.records();
    }
  }

  /** Those that cannot have lost anything; the others are not served. */
  private List<Owed> whole(List<Owed> owed, List<LogDamage> damages) {
    List<Owed> whole = new ArrayList<>();
    for (Owed each : owed) {
      Optional<LogDamage> damage =
          damages.stream().filter(found -> found.concerns(each.wanted())).findFirst();
      if (damage.isPresent()) {
        failed.put(each.coming().tablet(), damage.get().exception());
      } else {
        whole.add(each);
      }
    }
    return whole;
  }

  private void fail(Map<Table, List<Owed>> wanted, SteleException cause) {
    wanted
        .values()
        .forEach(owed -> owed.forEach(each -> failed.put(each.coming().tablet(), cause)));
  }

  /** Gives each tablet the new files that have rows of it. */
  private void share(Table table, List<Owed> owed, LogReplay replay) {
    Map<Tablet, Owed> byTablet = new HashMap<>();
    owed.forEach(each -> byTablet.put(each.coming().tablet(), each));
    List<TabletView> views =
        owed.stream().map(each -> each.coming().view(TabletState.ACTIVE)).toList();
    TableView view = TableView.empty(table.view().schema()).with(views);
    for (GroupSchema group : table.view().schema().groups()) {
      for (FilePath path : replay.files(table.name(), group.name())) {
        try (Table.Uses uses = table.uses()) {
          for (Tablet sharing : view.sharing(uses.open(path))) {
            Owed each = Objects.requireNonNull(byTablet.get(sharing));
            Objects.requireNonNull(found.get(sharing))
                .get(each.index())
                .byGroup
                .computeIfAbsent(group.name(), _ -> new ArrayList<>())
                .add(FragmentRef.whole(path));
          }
        }
      }
    }
  }

  // ---- the chains

  /** From here on the tablets of a table can be read. */
  private void putInPlace(Table table, List<Coming> tablets) {
    List<Part> parts = new ArrayList<>();
    for (Coming each : tablets) {
      parts.add(new Part(each.tablet(), each.owedLogs(), inserts(table, each)));
    }
    table.commit(new Replayed(parts)).ifPresent(edits::add);
  }

  /**
   * Where in the chain of each group that gets new files those of each log belong. Chains only grow
   * at their end meanwhile.
   */
  private Map<String, List<Insert>> inserts(Table table, Coming coming) {
    List<Files> files = Objects.requireNonNull(found.get(coming.tablet()));
    Set<String> groups = new HashSet<>();
    files.forEach(each -> groups.addAll(each.byGroup.keySet()));
    Optional<TabletView> view = table.view().find(coming.tablet());
    if (view.isEmpty()) {
      return Map.of(); // it has left, or its table was dropped
    }
    Map<String, List<Insert>> inserts = new HashMap<>();
    for (String group : groups) {
      List<FragmentRef> chain =
          coming.isNew()
              ? coming.files().getOrDefault(group, List.of())
              : view.get().files().getOrDefault(group, List.of());
      List<Insert> ofLogs = new ArrayList<>();
      int end = chain.size();
      for (int log = files.size() - 1; log >= 0; log--) {
        boolean none = coming.isNew() && log == files.size() - 1; // has been flushed behind it
        long upTo = Owed.of(coming, log).upToTxn();
        while (!none && end > 0 && maxTxn(table, chain.get(end - 1)) > upTo) {
          end--;
        }
        ofLogs.add(new Insert(end, files.get(log).of(group)));
      }
      inserts.put(group, ofLogs);
    }
    return inserts;
  }

  private static long maxTxn(Table table, FragmentRef ref) {
    return SchemaChanger.contents(table, ref.path()).maxTxn();
  }
}
