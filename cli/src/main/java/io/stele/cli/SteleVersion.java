package io.stele.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.Properties;

/** The version of Stele that runs here. */
public final class SteleVersion {
  private SteleVersion() {}

  /** The build writes the project's version into this file. */
  public static String current() {
    try (InputStream in =
        Objects.requireNonNull(
            SteleVersion.class.getResourceAsStream("version.properties"),
            "version.properties is not in the jar of the command line")) {
      Properties properties = new Properties();
      properties.load(in);
      return Objects.requireNonNull(properties.getProperty("version"), "version");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
