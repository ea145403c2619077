/** The parts of a JSON Schema that decide how a value is converted. */
export interface ArgumentSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, ArgumentSchema>>;
  readonly items?: ArgumentSchema;
}

/**
 * Converts a value to the type that its schema expects, at any depth: some models send every number and boolean as text,
 * and objects and lists as JSON text. Any other text stays a text, which validation then rejects.
 */
export const convertArgument = (schema: ArgumentSchema | undefined, value: unknown): unknown => {
  if (!schema) return value;
  const types = [schema.type ?? []].flat();
  const converted = typeof value === 'string' ? convertText(types, value) : value;
  if (Array.isArray(converted)) {
    const list: readonly unknown[] = converted;
    return list.map((item) => convertArgument(schema.items, item));
  }
  if (typeof converted !== 'object' || converted === null) return converted;
  const { properties = {} } = schema;
  const members = converted as Readonly<Record<string, unknown>>;
  const entries = Object.entries(members).map(([name, member]) => [
    name,
    Object.hasOwn(properties, name) ? convertArgument(properties[name], member) : member,
  ]);
  return Object.fromEntries(entries) as unknown;
};

const convertText = (types: readonly string[], text: string): unknown => {
  if (types.includes('string')) return text;
  for (const type of types) {
    if (!patterns[type]?.test(text)) continue;
    const value = parseJson(text);
    if (value !== undefined) return value;
  }
  return text;
};

/** A number in JSON syntax, without an exponent. */
const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/** The texts that may be a value of a type. */
const patterns: Readonly<Partial<Record<string, RegExp>>> = {
  boolean: /^(?:true|false)$/,
  integer: number,
  number,
  object: /^\s*\{.*\}\s*$/s,
  array: /^\s*\[.*\]\s*$/s,
};

/** Returns the parsed text, or undefined if it is not JSON. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};
