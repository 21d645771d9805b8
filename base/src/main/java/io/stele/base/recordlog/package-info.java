/**
 * A file of checksummed records that survives torn tails: commit logs and manifests are made of it.
 */
@NullMarked
package io.stele.base.recordlog;

import org.jspecify.annotations.NullMarked;
