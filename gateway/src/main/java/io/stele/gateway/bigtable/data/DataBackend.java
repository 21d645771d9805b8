package io.stele.gateway.bigtable.data;

import io.stele.base.table.TableAdmin;
import io.stele.base.table.Tables;
import io.stele.base.time.Clock;
import io.stele.gateway.bigtable.write.FamilyTypes;
import java.util.random.RandomGenerator;

/**
 * What the data service stands on.
 *
 * @param tables with the rows of all tables, wherever they are
 * @param clock for timestamps that clients leave to the server
 * @param random for filters that sample rows; used by many threads
 */
public record DataBackend(
    Tables tables, TableAdmin admin, FamilyTypes types, Clock clock, RandomGenerator random) {}
