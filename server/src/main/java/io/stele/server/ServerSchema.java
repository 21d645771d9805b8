package io.stele.server;

import io.stele.base.settings.SettingsSchema;

/** All settings that a server knows, each component's under its own name. */
final class ServerSchema {

  static final SettingsSchema SCHEMA =
      SettingsSchema.builder()
          .section("server", ServerSettings.DEFAULTS)
          // What the launcher and the command line read, and what commands set for programs.
          .otherEnvironment("STELE_BUILD")
          .otherEnvironment("STELE_JAVA_OPTS")
          .otherEnvironment("STELE_METASTORE")
          .otherEnvironment("STELE_LOCK_TOKEN")
          .otherEnvironment("STELE_SESSION")
          .build();

  private ServerSchema() {}
}
