/** What a store is to do, said as plainly as possible, and random histories to compare it by. */
@NullMarked
package io.stele.engine.model;

import org.jspecify.annotations.NullMarked;
