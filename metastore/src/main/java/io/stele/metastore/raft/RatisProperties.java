package io.stele.metastore.raft;

import io.stele.base.settings.ByteSize;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.util.SizeInBytes;
import org.apache.ratis.util.TimeDuration;

/** Our settings, and what we never leave to a default, as Ratis is told of them. */
final class RatisProperties {
  /** Room in a message for what frames the entries. */
  private static final long FRAME = 1 << 20;

  private RatisProperties() {}

  static RaftProperties of(Path directory, Member self, RaftSettings settings) {
    RaftProperties properties = new RaftProperties();
    RaftServerConfigKeys.setStorageDir(properties, List.of(directory.toFile()));
    // A process that was stopped for a while goes on as a follower, however long it was.
    RaftServerConfigKeys.setCloseThreshold(properties, TimeDuration.valueOf(3_650, TimeUnit.DAYS));
    RaftServerConfigKeys.setStagingTimeout(properties, time(settings.catchUp()));
    network(properties, self, settings);
    log(properties, settings);
    return properties;
  }

  private static void network(RaftProperties properties, Member self, RaftSettings settings) {
    String address = self.raftAddress();
    GrpcConfigKeys.Server.setPort(
        properties, Integer.parseInt(address.substring(address.lastIndexOf(':') + 1)));
    if (!settings.listenHost().isEmpty()) {
      GrpcConfigKeys.Server.setHost(properties, settings.listenHost());
    }
    long message = Math.max(settings.entry().bytes(), 4 << 20) + FRAME;
    GrpcConfigKeys.setMessageSizeMax(properties, SizeInBytes.valueOf(message + FRAME));
    RaftServerConfigKeys.Rpc.setTimeoutMin(properties, time(settings.electionMin()));
    RaftServerConfigKeys.Rpc.setTimeoutMax(properties, time(settings.electionMax()));
    RaftServerConfigKeys.Rpc.setRequestTimeout(properties, time(settings.request()));
    // A group that just started need not be silent for long before it elects.
    Duration first = settings.electionMin().dividedBy(4);
    RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMin(properties, time(first));
    RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMax(
        properties, time(settings.electionMin().dividedBy(2)));
    RaftServerConfigKeys.LeaderElection.setPreVote(properties, true);
  }

  private static void log(RaftProperties properties, RaftSettings settings) {
    RaftServerConfigKeys.Log.setSegmentSizeMax(properties, size(settings.segment()));
    RaftServerConfigKeys.Log.setSegmentCacheSizeMax(properties, size(settings.cache()));
    RaftServerConfigKeys.Log.setPreallocatedSize(
        properties, SizeInBytes.valueOf(Math.min(settings.segment().bytes(), 4 << 20)));
    long batch = Math.max(settings.entry().bytes(), 4 << 20);
    RaftServerConfigKeys.Log.Appender.setBufferByteLimit(properties, SizeInBytes.valueOf(batch));
    RaftServerConfigKeys.Log.setWriteBufferSize(properties, SizeInBytes.valueOf(batch + FRAME));
    RaftServerConfigKeys.Log.setCorruptionPolicy(
        properties, RaftServerConfigKeys.Log.CorruptionPolicy.EXCEPTION);
    // They would double the log of a quiet group; a member that restarts hears of commits anyway.
    RaftServerConfigKeys.Log.setLogMetadataEnabled(properties, false);
    // Either of these acknowledges what is not on disk.
    RaftServerConfigKeys.Log.setUnsafeFlushEnabled(properties, false);
    RaftServerConfigKeys.Log.setAsyncFlushEnabled(properties, false);
    // Less has each entry sent alone when many come, at twice the processor time for each.
    RaftServerConfigKeys.Log.Appender.setWaitTimeMin(
        properties, TimeDuration.valueOf(1, TimeUnit.MILLISECONDS));
    // Its own installation does not sync what it writes: see RatisMachine for ours.
    RaftServerConfigKeys.Log.Appender.setInstallSnapshotEnabled(properties, false);
    // By our own flushes.
    RaftServerConfigKeys.Snapshot.setAutoTriggerEnabled(properties, false);
    RaftServerConfigKeys.Snapshot.setCreationGap(properties, 1);
    RaftServerConfigKeys.Snapshot.setTriggerWhenStopEnabled(properties, false);
    RaftServerConfigKeys.Log.setPurgeUptoSnapshotIndex(properties, true);
    RaftServerConfigKeys.Log.setPurgePreservationLogNum(properties, settings.keepEntries());
    RaftServerConfigKeys.Log.setPurgeGap(properties, (int) Math.min(1024, settings.flushEntries()));
    // Each call has a number of its own: there is nothing to find in the cache of replies.
    RaftServerConfigKeys.RetryCache.setExpiryTime(
        properties, TimeDuration.valueOf(1, TimeUnit.SECONDS));
  }

  private static TimeDuration time(Duration duration) {
    return TimeDuration.valueOf(Math.max(1, duration.toMillis()), TimeUnit.MILLISECONDS);
  }

  private static SizeInBytes size(ByteSize size) {
    return SizeInBytes.valueOf(size.bytes());
  }
}
