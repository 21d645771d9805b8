package io.stele.base.dataset;

/**
 * How far a node is with loading its shards of a version.
 *
 * @param records read so far, those of other nodes' shards included
 * @param bytes of the source's files read so far
 * @param totalBytes of the files it has to read
 * @param shardsDone durable here
 * @param shardsAssigned that this node is to have
 */
public record LoadProgress(
    long records, long bytes, long totalBytes, int shardsDone, int shardsAssigned) {
  public static final LoadProgress NONE = new LoadProgress(0, 0, 0, 0, 0);
}
