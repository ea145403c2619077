/** The command line of a tool cannot be carried out as it is. */
export class UsageError extends Error {}
