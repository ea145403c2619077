/** The arguments of a tool are invalid. */
export class UsageError extends Error {}
