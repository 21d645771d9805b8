package io.stele.tables.tablet;

import io.stele.base.file.FilePath;
import io.stele.engine.disk.DiskFragment;
import io.stele.tables.meta.TableNames;
import io.stele.tables.tablet.ViewHolder.Borrowed;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A table on this server. What it is at the moment is its {@link TableView}, which readers borrow
 * without locks and which is replaced under the {@link CommitLock}, so that a writer that holds the
 * lock may rely on it.
 */
public final class Table {
  private final String name;
  private final CommitLock lock;
  private final FragmentGraph graph;
  private final ViewHolder views;
  private final TabletEvents events;
  private final Optional<FilePath> configFile;
  private volatile TableState state = TableState.SCHEMA_LOADING;

  /**
   * Creates a table without tablets; requests wait until it is {@link #activate active}.
   *
   * @param configFile where its configuration is kept if it is a fixed table; none if in META
   * @param listenerFailures takes what listeners of its tablets throw
   */
  public Table(
      String name,
      TableView view,
      CommitLock lock,
      FragmentGraph graph,
      Optional<FilePath> configFile,
      Consumer<RuntimeException> listenerFailures) {
    this.name = name;
    this.lock = lock;
    this.graph = graph;
    this.configFile = configFile;
    this.views = new ViewHolder(view, graph::close);
    this.events = new TabletEvents(listenerFailures);
    graph.setPriorities(view.families());
  }

  public String name() {
    return name;
  }

  /** True if its configuration is a file: its one tablet neither moves nor splits. */
  public boolean isFixed() {
    return configFile.isPresent();
  }

  public Optional<FilePath> configFile() {
    return configFile;
  }

  /** True if it is one of the tables that describe tables. */
  public boolean isMeta() {
    return TableNames.isReserved(name);
  }

  public TableState state() {
    return state;
  }

  /** Its tablets are in its view, loading or loaded. Under the commit lock. */
  public void activate() {
    lock.checkHeld();
    if (state == TableState.SCHEMA_LOADING) {
      state = TableState.ACTIVE;
      lock.changed();
    }
  }

  /** Nothing of it is here any more; requests that still hold it fail. */
  public void end() {
    state = TableState.UNKNOWN;
  }

  public TabletEvents events() {
    return events;
  }

  public FragmentGraph graph() {
    return graph;
  }

  public TableView view() {
    return views.current();
  }

  public Borrowed borrow() {
    return views.borrow();
  }

  /**
   * Makes another view the current one. Under the commit lock.
   *
   * @param ended uses of fragments that the next view no longer has
   */
  public void replace(TableView next, List<DiskFragment> ended) {
    lock.checkHeld();
    views.replace(next, graph.release(ended));
    lock.afterUnlock(views::collect); // files are closed without the lock
    lock.changed();
  }

  public void replace(TableView next) {
    replace(next, List.of());
  }

  /**
   * Waits until the view is another one; returns what is left of the time, negative if it is over.
   */
  @SuppressWarnings("ReferenceEquality") // another view, though it may say the same
  public long awaitChange(TableView seen, long nanos) {
    lock.lock();
    try {
      long left = nanos;
      while (views.current() == seen && left > 0) {
        left = lock.await(left);
      }
      return left;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public String toString() {
    return "table " + name;
  }
}
