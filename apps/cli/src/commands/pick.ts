/**
 * Returns only these properties, if present, in this order, so that new API fields do not appear in the tool's JSON.
 */
export const pick = <Value extends object, Name extends keyof Value>(
  value: Value,
  names: readonly Name[],
): Pick<Value, Name> =>
  Object.fromEntries(names.filter((name) => name in value).map((name) => [name, value[name]])) as Pick<Value, Name>;
