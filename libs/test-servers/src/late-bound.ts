/** Returns a proxy for the current value, so that tests can be defined with an object that a hook creates later. */
export const bindLate = <T extends object>(getCurrent: () => T): T =>
  new Proxy({} as T, { get: (_target, name) => Reflect.get(getCurrent(), name) as unknown });
