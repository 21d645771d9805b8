/**
 * Reads at one transaction: gets, scans that go on while all else changes, and operations that read
 * before they write.
 */
@NullMarked
package io.stele.tables.read;

import org.jspecify.annotations.NullMarked;
