package io.stele.engine.compaction;

/**
 * What the policy knows of one fragment of a chain.
 *
 * @param bytes in the file
 * @param cells of all kinds
 * @param erasures of all kinds
 */
public record FragmentShape(long bytes, long cells, long erasures) {}
