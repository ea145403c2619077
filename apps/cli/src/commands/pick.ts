/** Returns only these properties, in this order, if present: new fields of the API do not enter the tool's JSON. */
export const pick = <Value extends object, Name extends keyof Value>(
  value: Value,
  names: readonly Name[],
): Pick<Value, Name> =>
  Object.fromEntries(names.filter((name) => name in value).map((name) => [name, value[name]])) as Pick<Value, Name>;
