package io.stele.gateway.nativeapi;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;

/** Which keys the native interface takes: absolute paths. */
final class KeyRules {
  private KeyRules() {}

  static Bytes checkKey(Bytes key) {
    if (key.length() < 2 || key.at(0) != '/' || key.at(key.length() - 1) == '/') {
      throw new InvalidRequestException(
          "key \"" + key + "\": must be an absolute path such as /directory/name");
    }
    return key;
  }

  static Bytes checkDirectory(Bytes directory) {
    return directory.length() == 1 && directory.at(0) == '/' ? directory : checkKey(directory);
  }
}
