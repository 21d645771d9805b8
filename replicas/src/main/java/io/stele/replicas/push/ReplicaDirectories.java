package io.stele.replicas.push;

import io.stele.base.error.UnavailableException;
import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The directories of replicas: {@code <table>/<partition>.<assignment>}, each with its {@link
 * ReplicaFile}, its {@link SequenceMap} and the files of its cells.
 */
final class ReplicaDirectories {
  private final FileStore files;
  private final FilePath root;

  ReplicaDirectories(FileStore files, FilePath root) {
    this.files = files;
    this.root = root;
  }

  FilePath of(ReplicaName replica) {
    return root.resolve(replica.table())
        .resolve(replica.partition() + "." + replica.assignment().id());
  }

  /** Those that there are. What a crash left before a directory had a name is removed. */
  List<ReplicaName> list() {
    try {
      List<ReplicaName> replicas = new ArrayList<>();
      for (FileInfo table : files.list(root)) {
        for (FileInfo directory : files.list(table.path())) {
          Optional<ReplicaName> replica = ReplicaFile.read(files, directory.path());
          if (replica.isPresent()) {
            replicas.add(replica.get());
          } else {
            delete(directory.path());
          }
        }
      }
      return replicas;
    } catch (IOException e) {
      throw new UnavailableException(
          "replicas in " + root + " of " + files.describe() + " cannot be listed: " + e, e);
    }
  }

  void create(ReplicaName replica) throws IOException {
    ReplicaFile.write(files, of(replica), replica);
  }

  SequenceMap sequences(ReplicaName replica) throws IOException {
    return SequenceMap.open(files, of(replica));
  }

  /** Removes a replica: first its name, so that what a crash leaves of it is never opened. */
  void delete(ReplicaName replica) throws IOException {
    FilePath directory = of(replica);
    files.delete(directory.resolve(ReplicaFile.NAME));
    delete(directory);
    if (files.list(directory.parent()).isEmpty()) {
      files.delete(directory.parent());
    }
  }

  private void delete(FilePath path) throws IOException {
    for (FileInfo inside : files.list(path)) {
      delete(inside.path());
    }
    files.delete(path);
  }
}
