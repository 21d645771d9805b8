package io.stele.gateway.nativeapi;

import io.stele.base.error.NotServingException;
import io.stele.base.table.TableAdmin;
import io.stele.base.table.Tables;
import io.stele.metastore.Metastore;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What stands behind the services. A server listens before it has anything to serve: its address
 * must be known before it can join a group, and those that join ask it.
 */
final class Backend {
  private static final String NO_TABLES =
      "this server serves no tables: it is starting, or its roles do not have them";

  private volatile @Nullable Metastore metastore;
  private volatile @Nullable MemberAdmin admin;
  private volatile @Nullable Tables tables;
  private volatile @Nullable TableAdmin tableAdmin;

  void serve(Metastore served) {
    metastore = served;
  }

  void serve(MemberAdmin served) {
    admin = served;
  }

  void serve(Tables served, TableAdmin servedAdmin) {
    tables = served;
    tableAdmin = servedAdmin;
  }

  Tables tables() {
    Tables served = tables;
    if (served == null) {
      throw new NotServingException(NO_TABLES);
    }
    return served;
  }

  TableAdmin tableAdmin() {
    TableAdmin served = tableAdmin;
    if (served == null) {
      throw new NotServingException(NO_TABLES);
    }
    return served;
  }

  Metastore metastore() {
    Metastore served = metastore;
    if (served == null) {
      throw new NotServingException(
          "this server serves no metastore yet: it is starting, or waits to be bootstrapped, added"
              + " to a group or restored");
    }
    return served;
  }

  Optional<Metastore> metastoreIfServed() {
    return Optional.ofNullable(metastore);
  }

  MemberAdmin admin() {
    MemberAdmin served = admin;
    if (served == null) {
      throw new NotServingException("this server is starting");
    }
    return served;
  }
}
