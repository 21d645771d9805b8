/**
 * Sends what a replica has to those that should have it, and lets go of what is no longer its own.
 */
@NullMarked
package io.stele.replicas.push;

import org.jspecify.annotations.NullMarked;
