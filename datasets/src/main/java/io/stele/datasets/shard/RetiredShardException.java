package io.stele.datasets.shard;

/** A lookup came to a shard that has been let go. What it looked for may be elsewhere. */
public final class RetiredShardException extends Exception {
  private static final long serialVersionUID = 1;

  RetiredShardException(Throwable cause) {
    super("the shard has been let go", cause);
  }
}
