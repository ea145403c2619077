/** Stands for what `current` returns at each use: what a hook makes can be named where the tests are described. */
export const lateBound = <T extends object>(current: () => T): T =>
  new Proxy({} as T, { get: (_target, name) => Reflect.get(current(), name) as unknown });
