/** What all HTTP interfaces share: which requests are refused, and the status codes of errors. */
@NullMarked
package io.stele.gateway.web;

import org.jspecify.annotations.NullMarked;
