/** The admin port: what operators and their tools ask of one node, over HTTP. */
@NullMarked
package io.stele.gateway.admin;

import org.jspecify.annotations.NullMarked;
