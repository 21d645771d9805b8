package io.stele.metastore.command;

import io.stele.metastore.key.KeyRange;
import java.util.List;

/**
 * What an interactive transaction has read. It commits only in the term in which it began, and only
 * if no key of these ranges, gaps included, changed after the revision.
 */
public record ReadSet(long term, long revision, List<KeyRange> ranges) {
  public ReadSet {
    ranges = List.copyOf(ranges);
  }
}
