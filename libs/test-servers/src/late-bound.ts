/** Returns a proxy for the current value, so that tests can be defined with an object that a hook creates later. */
export const lateBound = <T extends object>(current: () => T): T =>
  new Proxy({} as T, { get: (_target, name) => Reflect.get(current(), name) as unknown });
