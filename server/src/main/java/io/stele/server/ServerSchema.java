package io.stele.server;

import io.stele.base.settings.SettingsSchema;
import io.stele.metastore.node.NodeSettings;
import io.stele.metastore.raft.RaftSettings;
import io.stele.metastore.raft.SoloSettings;
import io.stele.server.admin.AdminSettings;
import io.stele.server.log.LogSettings;
import io.stele.tables.master.MasterSettings;

/** All settings that a server knows, each component's under its own name. */
final class ServerSchema {

  static final String SERVER = "server";
  static final String TLS = "tls";
  static final String ETCD = "etcd";
  static final String BIGTABLE = "bigtable";
  static final String ADMIN = "admin";
  static final String OUTPUT = "log";
  static final String METASTORE = "metastore";
  static final String STORAGE = "metastore.storage";
  static final String LOG = "metastore.log";
  static final String RAFT = "metastore.raft";
  static final String TABLES = "tables";
  static final String MASTER = "master";
  static final String REPLICAS = "replicas";
  static final String DATASETS = "datasets";

  static final SettingsSchema SCHEMA =
      SettingsSchema.builder()
          .section(SERVER, ServerSettings.DEFAULTS)
          .section(TLS, TlsSettings.DEFAULTS)
          .section(ETCD, EtcdSettings.DEFAULTS)
          .section(BIGTABLE, BigtableSettings.DEFAULTS)
          .section(ADMIN, AdminSettings.DEFAULTS)
          .section(OUTPUT, LogSettings.DEFAULTS)
          .section(METASTORE, NodeSettings.DEFAULT)
          .section(STORAGE, StorageSettings.DEFAULTS)
          .section(LOG, SoloSettings.DEFAULT)
          .section(RAFT, RaftSettings.DEFAULT)
          .section(TABLES, TablesSettings.DEFAULTS)
          .section(MASTER, MasterSettings.DEFAULT)
          .section(REPLICAS, ReplicasSettings.DEFAULTS)
          .section(DATASETS, DatasetsSettings.DEFAULTS)
          // What the launcher and the command line read, and what commands set for programs.
          .otherEnvironment("STELE_BUILD")
          .otherEnvironment("STELE_JAVA_OPTS")
          .otherEnvironment("STELE_CLASSPATH")
          .otherEnvironment(ServerCommand.CONFIG_VARIABLE)
          .otherEnvironment("STELE_ENDPOINTS")
          .otherEnvironment("STELE_METASTORE")
          .otherEnvironment("STELE_AUTHORITY")
          .otherEnvironment("STELE_CERTIFICATE")
          .otherEnvironment("STELE_KEY")
          .otherEnvironment("STELE_LOCK_TOKEN")
          .otherEnvironment("STELE_SESSION")
          .build();

  private ServerSchema() {}
}
