package io.stele.base.settings;

/** Where a setting's value was found, as it is shown in errors; the later ones win. */
public sealed interface Origin {
  /** The value in code. */
  record Default() implements Origin {
    @Override
    public String toString() {
      return "default";
    }
  }

  /** A line of a settings file, counted from 1. */
  record FileLine(String file, int line) implements Origin {
    @Override
    public String toString() {
      return file + ":" + line;
    }
  }

  /** An environment variable. */
  record Environment(String variable) implements Origin {
    @Override
    public String toString() {
      return "environment " + variable;
    }
  }

  /** A {@code --set} on the command line. */
  record Flag() implements Origin {
    @Override
    public String toString() {
      return "flag --set";
    }
  }
}
