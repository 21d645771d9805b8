/** How ports are secured, and who calls them. */
@NullMarked
package io.stele.gateway.security;

import org.jspecify.annotations.NullMarked;
