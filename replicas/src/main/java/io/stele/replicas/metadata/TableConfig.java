package io.stele.replicas.metadata;

import io.stele.base.schema.TableSchema;
import java.util.List;

/**
 * What the coordination service has of a replicated table.
 *
 * @param id which no table had before or will have after it
 * @param metadataTxn the valid METADATA transaction
 * @param metadataServers the ids of the servers that keep METADATA files of it
 */
public record TableConfig(
    String name, String id, TableSchema schema, String metadataTxn, List<String> metadataServers) {
  public TableConfig {
    metadataServers = List.copyOf(metadataServers);
  }

  public TableConfig withMetadataTxn(String txn) {
    return new TableConfig(name, id, schema, txn, metadataServers);
  }

  public TableConfig withMetadataServers(List<String> servers) {
    return new TableConfig(name, id, schema, metadataTxn, servers);
  }

  public TableConfig withSchema(TableSchema value) {
    return new TableConfig(name, id, value, metadataTxn, metadataServers);
  }
}
