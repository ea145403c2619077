/** What the log and the metrics tell requests apart by. */
export interface RequestKind {
  readonly method: string;
  /** The path template, never the path itself: that would be a kind for each id. */
  readonly route: string;
  readonly status: number;
}

/** Returns a look-up of what the requests of a kind share, which is made at the first of them. */
export const perKind = <Shared>(
  make: (kind: RequestKind) => Shared,
): ((method: string, route: string, status: number) => Shared) => {
  // A joined key would have to be made, and hashed, for each request.
  const routes = new Map<string, Map<string, Map<number, Shared>>>();
  return (method, route, status) => {
    const methods = routes.get(route) ?? new Map<string, Map<number, Shared>>();
    const statuses = methods.get(method) ?? new Map<number, Shared>();
    let shared = statuses.get(status);
    if (shared === undefined) {
      shared = make({ method, route, status });
      routes.set(route, methods.set(method, statuses.set(status, shared)));
    }
    return shared;
  };
};
