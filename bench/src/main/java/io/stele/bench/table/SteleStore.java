package io.stele.bench.table;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.SteleException;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.predicate.RowRange;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.PurgePolicy;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.RowOutcome;
import io.stele.base.table.ScanOptions;
import io.stele.bench.driver.Driver;
import io.stele.bench.driver.Probe;
import io.stele.bench.driver.Records;
import io.stele.bench.driver.Store;
import io.stele.client.Stele;
import io.stele.client.table.Row;
import io.stele.client.table.RowMutation;
import io.stele.client.table.RowScan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Stele through its Java client, as an application uses it: one client for all threads. */
public class SteleStore implements Store {
  protected static final Duration SHORT = Duration.ofMillis(Probe.ATTEMPT_MILLIS);
  protected static final Bytes FAMILY_BYTES = Bytes.utf8(FAMILY);
  protected static final List<Bytes> QUALIFIERS =
      IntStream.range(0, Records.FIELDS).mapToObj(Store::field).map(Bytes::utf8).toList();

  private final String address;
  private final Stele stele;

  /** The client asks the first of the servers first. */
  protected SteleStore(List<String> addresses) {
    this.address = addresses.getFirst();
    this.stele = Stele.builder().endpoints(addresses).connect();
  }

  /** The driver's program. The argument is the server's address. */
  public static void main(String[] arguments) throws Exception {
    Driver.serve(new SteleStore(List.of(arguments[0])));
  }

  /** The client that all threads share. */
  protected final Stele stele() {
    return stele;
  }

  @Override
  public boolean listens() {
    return Probe.listens(address);
  }

  @Override
  public void create(String table, List<String> splits) {
    stele.tables().create(table, schema(), splits.stream().map(Bytes::utf8).toList());
  }

  protected static TableSchema schema() {
    return TableSchema.of(
        GroupSchema.of("default", FAMILY).withPurge(new PurgePolicy.MaxHistory(1)));
  }

  @Override
  public void drop(String table) {
    stele.tables().drop(table);
  }

  @Override
  public void flush(String table) {
    stele.tables().flush(table);
  }

  @Override
  public void insert(String table, String key, byte[][] fields) {
    stele.table(table).mutate(mutation(key, fields));
  }

  @Override
  public void insertAll(String table, List<String> keys, List<byte[][]> records) {
    List<RowMutation> mutations = new ArrayList<>();
    for (int i = 0; i < keys.size(); i++) {
      mutations.add(mutation(keys.get(i), records.get(i)));
    }
    for (RowOutcome outcome : stele.table(table).mutateAll(mutations)) {
      if (outcome.failure().isPresent()) {
        throw outcome.failure().get();
      }
    }
  }

  private static RowMutation mutation(String key, byte[][] fields) {
    RowMutation mutation = RowMutation.of(key);
    for (int i = 0; i < fields.length; i++) {
      mutation.put(FAMILY_BYTES, QUALIFIERS.get(i), Bytes.wrap(fields[i]));
    }
    return mutation;
  }

  @Override
  public void update(String table, String key, int field, byte[] value) {
    stele
        .table(table)
        .mutate(RowMutation.of(key).put(FAMILY_BYTES, QUALIFIERS.get(field), Bytes.wrap(value)));
  }

  @Override
  public int read(String table, String key) {
    return stele.table(table).get(key).map(row -> row.cells().size()).orElse(0);
  }

  @Override
  public Found scan(String table, String start, int rows) {
    ReadPredicate predicate =
        ReadPredicate.rows(new RowRange(Bytes.utf8(start), null)).withHistory(1);
    int found = 0;
    int fields = 0;
    try (RowScan scan = stele.table(table).scan(predicate, ScanOptions.DEFAULT.withMaxRows(rows))) {
      for (Optional<Row> row = scan.next(); row.isPresent(); row = scan.next()) {
        found++;
        fields += row.get().cells().size();
      }
    }
    return new Found(found, fields);
  }

  @Override
  public boolean tryRead(String table, String key) {
    try (Stele fresh = Stele.builder().endpoints(address).timeout(SHORT).connect()) {
      return fresh.table(table).get(key).isPresent();
    } catch (SteleException e) {
      return false; // not yet
    }
  }

  @Override
  public void close() {
    stele.close();
  }
}
