package io.stele.replicas.metadata;

import io.stele.base.error.NotFoundException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Finds tables by their ids in the coordination service, which has them by name. What it remembers
 * is only where to look: the answer is always the service's. Any thread.
 */
final class TableLookup {
  private final Coordination coordination;
  private final Map<String, String> names = new ConcurrentHashMap<>(); // by id, for ever the same

  TableLookup(Coordination coordination) {
    this.coordination = coordination;
  }

  /** None if there is no such table, or no more. */
  Optional<Coordination.Kept> find(String id) {
    String name = names.get(id);
    return name == null
        ? all().stream().filter(each -> each.config().id().equals(id)).findFirst()
        : coordination.table(name).filter(each -> each.config().id().equals(id));
  }

  Coordination.Kept get(String id) {
    return find(id)
        .orElseThrow(() -> new NotFoundException("replicated table with id " + id + ": not there"));
  }

  List<Coordination.Kept> all() {
    List<Coordination.Kept> tables = coordination.tables();
    tables.forEach(each -> names.put(each.config().id(), each.config().name()));
    return tables;
  }
}
