package io.stele.replicas.push;

import io.stele.base.file.FileStore;
import java.io.IOException;

/**
 * Which store the cells of a replica are in, and whether it is being filled. A directory that was
 * lost comes back empty under its old assignment: its name tells others that it is not what they
 * sent their changes to, and until it has been filled it answers no reader and counts for nothing
 * but the changes it gets.
 */
final class StoreMark {
  private final FileStore directory;
  private volatile ReplicaFile.Content content;

  StoreMark(FileStore directory, ReplicaFile.Content content) {
    this.directory = directory;
    this.content = content;
  }

  String store() {
    return content.store();
  }

  boolean isFilling() {
    return content.filling();
  }

  /** It has all that the others have. */
  void filled() throws IOException {
    ReplicaFile.Content whole = new ReplicaFile.Content(content.replica(), content.store(), false);
    ReplicaFile.write(directory, whole);
    content = whole;
  }
}
