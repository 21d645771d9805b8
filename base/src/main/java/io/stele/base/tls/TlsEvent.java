package io.stele.base.tls;

import io.stele.base.event.Event;
import java.time.Instant;

/** What becomes of certificates while they are in use. */
public sealed interface TlsEvent extends Event {
  /** The files changed, and new connections use what they say now. */
  record Reloaded(TlsFiles files, Instant expires) implements TlsEvent {
    @Override
    public Level level() {
      return Level.INFO;
    }

    @Override
    public String text() {
      return "TLS files read again: " + files.describe() + "; valid until " + expires;
    }
  }

  /** The files changed and cannot be used; new connections use what was read before. */
  record NotReloaded(TlsFiles files, String problem) implements TlsEvent {
    @Override
    public Level level() {
      return Level.ERROR;
    }

    @Override
    public String text() {
      return "TLS files changed and cannot be used, so the ones read before stay in use: "
          + problem;
    }
  }
}
