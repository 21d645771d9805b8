package io.stele.bench.cluster;

/**
 * What a client saw of a server's death. Seconds are since kill -9.
 *
 * @param detected when the server no longer counted as living
 * @param written when the first change of what it had was taken
 * @param allWritten when each of its tablets had taken changes
 * @param readable when records of all its tablets were read
 * @param counted when all rows had been read and counted
 * @param logBytes what all servers had in their logs
 */
record Outage(
    double detected,
    double written,
    double allWritten,
    double readable,
    double counted,
    long logBytes) {}
