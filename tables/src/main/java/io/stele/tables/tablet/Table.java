package io.stele.tables.tablet;

import io.stele.base.file.FilePath;
import io.stele.engine.chain.Chain;
import io.stele.engine.chain.Link;
import io.stele.engine.disk.DiskFragment;
import io.stele.tables.meta.FragmentRef;
import io.stele.tables.meta.TableNames;
import io.stele.tables.tablet.ViewHolder.Borrowed;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A table on this server. What it is at the moment is its {@link TableView}, which readers borrow
 * without locks and which is replaced under the {@link CommitLock}, so that a writer that holds the
 * lock may rely on it. {@link #commit} is the only way to replace it.
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
   * Puts an edit in place, and notifies listeners once the lock is free.
   *
   * @return nothing if the edit does not fit the view that is current now
   */
  public Optional<Edited> commit(TabletEdit edit) {
    lock.lock();
    try {
      Optional<Edited> done = put(edit);
      done.ifPresent(edited -> lock.afterUnlock(edited::tell));
      return done;
    } finally {
      lock.unlock();
    }
  }

  /** The same for an edit of which the caller has listeners notified: it holds locks of its own. */
  public Optional<Edited> put(TabletEdit edit) {
    lock.lock();
    try {
      TableView before = views.current();
      Optional<TableView> next = edit.apply(before);
      next.ifPresent(after -> replace(before, after));
      return next.map(after -> new Edited(this, edit, before, after));
    } finally {
      lock.unlock();
    }
  }

  private void replace(TableView before, TableView after) {
    after.groups().forEach(GroupView::freeze);
    assert after.flaw().isEmpty() : after.flaw().orElseThrow();
    List<DiskFragment> unused = graph.replace(before.tablets(), after.tablets());
    views.replace(after);
    views.retire(unused);
    lock.afterUnlock(
        () -> { // files are neither looked at nor closed under the lock
          if (before.schemaVersion() != after.schemaVersion()) {
            graph.setPriorities(after.families());
          }
          views.collect();
        });
    lock.changed();
  }

  /**
   * Commits what is decided about the view, again if the view has changed meanwhile.
   *
   * @param decide without the lock; nothing if there is nothing to do
   */
  public Optional<Edited> commit(Function<TableView, Optional<? extends TabletEdit>> decide) {
    while (true) {
      Optional<? extends TabletEdit> edit = decide.apply(view());
      if (edit.isEmpty()) {
        return Optional.empty();
      }
      Optional<Edited> done = commit(edit.get());
      if (done.isPresent()) {
        return done;
      }
    }
  }

  /** Files that somebody has open for an edit; those that no view has by the end are closed. */
  public final class Uses implements AutoCloseable {
    private final List<DiskFragment> used = new ArrayList<>();

    private Uses() {}

    public DiskFragment open(FilePath path) {
      DiskFragment fragment = graph.use(path);
      used.add(fragment);
      return fragment;
    }

    /** Opens chains as a configuration has them, for the groups of a view. */
    public List<Chain> open(TableView view, SortedMap<String, List<FragmentRef>> files) {
      List<Chain> chains = new ArrayList<>();
      for (GroupView group : view.groups()) {
        List<Link> links = new ArrayList<>();
        for (FragmentRef ref : files.getOrDefault(group.schema().name(), List.of())) {
          links.add(new Link(open(ref.path()), ref.families()));
        }
        chains.add(new Chain(links));
      }
      return chains;
    }

    @Override
    public void close() {
      views.retire(graph.release(used)); // another view may have had one meanwhile
      views.collect();
    }
  }

  public Uses uses() {
    return new Uses();
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
