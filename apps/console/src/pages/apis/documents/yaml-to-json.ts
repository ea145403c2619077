import { LineCounter, parseDocument } from 'yaml';
import type { Place } from './json-fault.ts';

/** The maximum number of aliases, and the maximum length of the expanded JSON, the same as in the service's tool. */
const aliasesMax = 10_000;
const expandedMax = 64_000_000;

export class YamlFault extends Error {
  readonly place: Place | null;

  constructor(message: string, place: Place | null) {
    super(message);
    this.place = place;
  }
}

/**
 * Converts YAML to JSON as `portico import` does, so that both publish the same document: YAML 1.2, core schema, with
 * merge keys. Dates remain strings, integers keep all their digits, and members keep their order. Throws `YamlFault`.
 */
export const jsonOfYaml = (text: string): { readonly json: string; readonly value: unknown } => {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    version: '1.2',
    merge: true,
    stringKeys: true,
    intAsBigInt: true,
    prettyErrors: false,
    lineCounter: lines,
    logLevel: 'error',
    // Values with tags from other schemas, such as dates and sets, are left as written.
    resolveKnownTags: false,
  });
  const [fault] = document.errors;
  if (fault) {
    const { line, col } = lines.linePos(fault.pos[0]);
    throw new YamlFault(fault.message.trimEnd(), { line, column: col });
  }
  const value: unknown = document.toJS({ maxAliasCount: aliasesMax, mapAsMap: true });
  const parts: string[] = [];
  let length = 0;
  writeValue(value, '', (part) => {
    if ((length += part.length) > expandedMax) throw new YamlFault('its aliases expand it beyond 64 MB', null);
    parts.push(part);
  });
  return { json: parts.join(''), value };
};

/** Writes a value as JSON. `name` is the member's name, for error messages. */
const writeValue = (value: unknown, name: string, write: (part: string) => void): void => {
  if (value instanceof Map) {
    let before = '{';
    for (const [key, member] of value as ReadonlyMap<string, unknown>) {
      write(`${before}${JSON.stringify(key)}:`);
      writeValue(member, key, write);
      before = ',';
    }
    write(value.size === 0 ? '{}' : '}');
  } else if (Array.isArray(value)) {
    value.forEach((item: unknown, index) => {
      write(index === 0 ? '[' : ',');
      writeValue(item, name, write);
    });
    write(value.length === 0 ? '[]' : ']');
  } else if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new YamlFault(`${name || 'the document'} is ${value}, a number that JSON cannot represent`, null);
  } else {
    write(typeof value === 'bigint' ? `${value}` : JSON.stringify(value));
  }
};
