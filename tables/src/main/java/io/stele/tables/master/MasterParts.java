package io.stele.tables.master;

import io.stele.base.file.FileStore;
import io.stele.base.time.Clock;
import io.stele.tables.compact.CompactSettings;
import io.stele.tables.meta.MetaTable;
import io.stele.tables.meta.RootStore;
import io.stele.tables.txn.Lease;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * What a master works with; all of it stays its owner's.
 *
 * @param address of the master, as people and other nodes reach it
 * @param token of its election: grows from master to master
 * @param lead whether it is the master still
 * @param controls how servers are reached; asked for each order
 * @param meta read and written wherever its tablets are
 * @param files that hold the fragments of all servers
 * @param logs that hold the logs of all servers; may be the same
 * @param sizes when small tablets are joined
 * @param trash how long files that nothing needs stay in the trash
 * @param events told of everything that happens, on the thread on which it does
 */
public record MasterParts(
    String address,
    long token,
    Lease lead,
    Membership membership,
    Function<LiveServer, TabletControl> controls,
    MetaTable meta,
    RootStore root,
    FileStore files,
    FileStore logs,
    Clock clock,
    CompactSettings sizes,
    Duration trash,
    Consumer<MasterEvent> events) {

  MasterParts withLead(Lease other) {
    return new MasterParts(
        address,
        token,
        other,
        membership,
        controls,
        meta,
        root,
        files,
        logs,
        clock,
        sizes,
        trash,
        events);
  }
}
