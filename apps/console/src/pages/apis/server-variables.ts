type Variables = Readonly<Record<string, string>>;

/** Formats variables as one `name=value` on each line. */
export const formatVariables = (variables: Variables): string =>
  Object.entries(variables)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n');

/**
 * Parses one `name=value` on each line; the last one counts if a name is repeated. `wrongLine` is the first line without
 * a name and `=`.
 */
export function parseVariables(text: string): { readonly variables: Variables; readonly wrongLine: string | null } {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  const pairs = lines.map((line) => /^([^=]+)=(.*)$/.exec(line));
  const wrongLine = lines[pairs.findIndex((pair) => !pair || (pair[1] ?? '').trim() === '')] ?? null;
  const variables = pairs.map((pair): [string, string] => [(pair?.[1] ?? '').trim(), (pair?.[2] ?? '').trim()]);
  return { variables: Object.fromEntries(variables), wrongLine };
}
