package io.stele.base.file;

/** The calls of a file store and its files that a {@link MemoryFileStore} counts and can fail. */
public enum StoreCall {
  CREATE,
  OPEN,
  REPLACE,
  RENAME,
  DELETE,
  STAT,
  LIST,
  WRITE,
  PREALLOCATE,
  SYNC,
  FINISH,
  READ
}
