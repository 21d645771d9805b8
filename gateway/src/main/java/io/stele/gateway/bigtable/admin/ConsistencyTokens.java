package io.stele.gateway.bigtable.admin;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.schema.TableSchema;
import io.stele.gateway.bigtable.name.TableName;

/**
 * Tokens by which a client asks whether all that was written before is everywhere. A row of a
 * tablet table is in one place, so what was acknowledged is read by whoever comes later: every
 * token is consistent at once. The replicas of a replicated table follow in their own time, and
 * nobody can tell when all have.
 *
 * <pre>
 *   token  :=  stele:TABLE:MICROS
 * </pre>
 */
final class ConsistencyTokens {
  private static final String MARK = "stele:";

  private final NotedTables tables;

  ConsistencyTokens(NotedTables tables) {
    this.tables = tables;
  }

  String make(TableName name) {
    checkKind(name);
    return MARK + name.table() + ":" + tables.micros();
  }

  boolean check(TableName name, String token) {
    checkKind(name);
    if (!token.startsWith(MARK + name.table() + ":")) {
      throw new InvalidRequestException(
          "consistency_token \""
              + token
              + "\": must be one of GenerateConsistencyToken for table \""
              + name
              + "\"");
    }
    return true;
  }

  private void checkKind(TableName name) {
    TableSchema schema = tables.schema(name);
    if (schema.replication().isPresent()) {
      throw Refusal.notOffered(
          "a consistency token of table \"" + name + "\"",
          "it is a replicated table, whose replicas follow each other in their own time");
    }
  }
}
