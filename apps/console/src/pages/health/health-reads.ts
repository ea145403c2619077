/** The refresh interval while the page is visible. */
export const refreshMs = 10_000;

/** A 503 has the same kind of body as a 200, with the unavailable components. */
export const allowUnavailable = { allow: [503] } as const;
