package io.stele.datasets.version;

import io.stele.base.error.InvalidRequestException;
import java.util.regex.Pattern;

/**
 * Which names datasets and versions may have.
 *
 * <p>Versions are ordered by the bytes of their names, so numbers and times must be written with
 * equally many digits: {@code 9} is newer than {@code 10}.
 */
public final class Names {
  private static final Pattern DATASET = Pattern.compile("[-_a-zA-Z0-9]+");
  private static final Pattern VERSION = Pattern.compile("[-a-zA-Z0-9=+][-_.a-zA-Z0-9=+]*");

  private Names() {}

  public static boolean dataset(String name) {
    return DATASET.matcher(name).matches();
  }

  public static boolean version(String name) {
    return VERSION.matcher(name).matches();
  }

  /** Files and directories that are not meant for us. */
  static boolean hidden(String name) {
    return name.startsWith("_") || name.startsWith(".");
  }

  public static String checkDataset(String name) {
    if (!dataset(name)) {
      throw new InvalidRequestException("dataset \"" + name + "\": " + DATASET_RULE);
    }
    return name;
  }

  public static String checkVersion(String name) {
    if (!version(name)) {
      throw new InvalidRequestException("version \"" + name + "\": " + VERSION_RULE);
    }
    return name;
  }

  static final String DATASET_RULE =
      "a name has letters, digits, hyphens and underscores, and nothing else";

  static final String VERSION_RULE =
      "a version's name has letters, digits and any of -_.=+, and begins with neither _ nor .";
}
