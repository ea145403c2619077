/** How often the page asks while it is visible. */
export const refreshMs = 10_000;

/** The answer that something is unavailable says what, as the one that all works does. */
export const unavailable = { allow: [503] } as const;
