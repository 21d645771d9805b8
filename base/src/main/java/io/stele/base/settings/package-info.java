/**
 * Typed settings: a record per component with its defaults in code, filled from one file, the
 * environment and flags.
 */
@NullMarked
package io.stele.base.settings;

import org.jspecify.annotations.NullMarked;
