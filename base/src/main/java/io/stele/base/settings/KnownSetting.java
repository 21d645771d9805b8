package io.stele.base.settings;

/**
 * A key that the program knows, for documentation and for {@code --help}.
 *
 * @param defaultValue as it would be written in a file
 * @param form what a value looks like, such as "true or false"
 * @param environment the variable that overrides it
 * @param about a sentence from {@link About}; empty if there is none
 * @param secret whether its value is shown to nobody: see {@link Secret}
 */
public record KnownSetting(
    String key,
    String defaultValue,
    String form,
    String environment,
    String about,
    boolean secret) {}
