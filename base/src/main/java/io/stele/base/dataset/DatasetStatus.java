package io.stele.base.dataset;

import java.util.List;

/**
 * A dataset at one moment.
 *
 * @param serving the version that the answering node serves to clients; empty if none
 * @param pinned the version it is kept at; empty if it follows the newest
 * @param versions oldest first
 * @param problem what is wrong with the dataset as a whole, such as its name; empty if nothing is
 */
public record DatasetStatus(
    String dataset, String serving, String pinned, List<VersionStatus> versions, String problem) {
  public DatasetStatus {
    versions = List.copyOf(versions);
  }
}
