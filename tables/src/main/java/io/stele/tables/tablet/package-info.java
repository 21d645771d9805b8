/**
 * Tables as a server holds them: tablets, their chains, and the one picture of both that readers
 * and writers share.
 */
@NullMarked
package io.stele.tables.tablet;

import org.jspecify.annotations.NullMarked;
