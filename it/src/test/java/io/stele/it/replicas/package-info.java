/** Replicated tables on servers that are processes of their own, while they fail. */
@NullMarked
package io.stele.it.replicas;

import org.jspecify.annotations.NullMarked;
