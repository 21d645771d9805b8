package io.stele.tables.master;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.tables.master.Orders.Answer;
import io.stele.tables.meta.MetaTable;
import io.stele.tables.meta.MetaTable.StoredSchema;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.meta.UnfinishedTables.Unfinished;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Makes tables of the files of others: begins the new table in META, asks the servers of the other
 * one for its tablets with all their data in files, and finishes it with these.
 *
 * <p>From the beginning to the end no file is deleted ({@link FileCollector} does not read META
 * while a table is unfinished), so whatever a server named is there when META names it. What a
 * master leaves unfinished the next one gives up.
 */
final class TableCopies {
  private static final int ATTEMPTS = 5;

  private final MasterParts parts;
  private final MasterSettings settings;
  private final Orders orders;
  private final Set<String> underWay = ConcurrentHashMap.newKeySet();

  TableCopies(MasterParts parts, MasterSettings settings, Orders orders) {
    this.parts = parts;
    this.settings = settings;
    this.orders = orders;
  }

  /**
   * Makes a table of the files of another.
   *
   * @param owners the servers that have tablets of the source
   */
  void copy(String source, String target, Supplier<Set<LiveServer>> owners) {
    if (!underWay.add(target)) {
      throw new UnavailableException("table \"" + target + "\" is being made: try again");
    }
    try {
      parts.lead().check();
      Unfinished made = new Unfinished(target, parts.token());
      StoredSchema schema = schema(source);
      parts.meta().unfinished().begin(made, schema);
      try {
        fill(source, made, schema, owners);
      } catch (SteleException e) {
        if (!isMade(target)) {
          giveUp(made);
          throw e;
        }
      }
    } finally {
      underWay.remove(target);
    }
  }

  private StoredSchema schema(String table) {
    return parts
        .meta()
        .schema(table)
        .value()
        .orElseThrow(() -> new NotFoundException("there is no table \"" + table + "\""));
  }

  /** META may have been told though its answer was lost. */
  private boolean isMade(String target) {
    try {
      return parts.meta().schema(target).value().isPresent();
    } catch (SteleException e) {
      return false;
    }
  }

  private void giveUp(Unfinished made) {
    try {
      parts.meta().unfinished().giveUp(made);
    } catch (SteleException e) {
      // The next round does it.
    }
  }

  private void fill(
      String source, Unfinished made, StoredSchema schema, Supplier<Set<LiveServer>> owners) {
    MetaTable meta = parts.meta();
    for (int attempt = 1; ; attempt++) {
      List<TabletConfig> tablets = snapshot(source, owners.get());
      boolean sameSchema = schema(source).equals(schema);
      if (isWhole(tablets) && sameSchema) {
        parts.lead().check();
        meta.unfinished()
            .finish(
                made, schema, tablets.stream().map(each -> each.copyFor(made.table())).toList());
        return;
      }
      if (!sameSchema || attempt == ATTEMPTS) {
        throw new UnavailableException(
            "table \""
                + source
                + "\" was not copied: "
                + (sameSchema
                    ? "some of its tablets have no server at the moment"
                    : "its schema was changed meanwhile"));
      }
    }
  }

  /** Each server's tablets at a moment of its own: a row is on one server. */
  private List<TabletConfig> snapshot(String source, Set<LiveServer> owners) {
    List<List<TabletConfig>> found =
        Answer.values(
            orders
                .callAll(
                    owners,
                    "write table \"" + source + "\" to files",
                    settings.patience(),
                    control -> control.snapshot(parts.token(), source))
                .values());
    return found.stream()
        .flatMap(Collection::stream)
        .sorted(Comparator.comparing(TabletConfig::first))
        .toList();
  }

  /** Neither gaps nor overlaps: a tablet may move from one server to another meanwhile. */
  private static boolean isWhole(List<TabletConfig> tablets) {
    Optional<Bytes> reached = Optional.of(Bytes.EMPTY);
    for (TabletConfig tablet : tablets) {
      if (!reached.equals(Optional.of(tablet.first()))) {
        return false;
      }
      reached = tablet.last();
    }
    return reached.isEmpty() && !tablets.isEmpty();
  }

  /** Gives up what earlier masters, or this one in vain, left unfinished. */
  void clean(List<Unfinished> found) {
    List<Unfinished> left = new ArrayList<>(found);
    left.removeIf(each -> each.token() > parts.token() || underWay.contains(each.table()));
    for (Unfinished each : left) {
      parts.lead().check();
      giveUp(each);
    }
  }
}
