/** The members of these names alone, in this order, where there are any: the tool's JSON grows by its own decision. */
export const picked = <Value extends object, Name extends keyof Value>(
  value: Value,
  names: readonly Name[],
): Pick<Value, Name> =>
  Object.fromEntries(names.filter((name) => name in value).map((name) => [name, value[name]])) as Pick<Value, Name>;
