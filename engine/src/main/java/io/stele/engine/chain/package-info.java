/** Chains: the ordered fragments that make up one group, and how long each is in use. */
@NullMarked
package io.stele.engine.chain;

import org.jspecify.annotations.NullMarked;
