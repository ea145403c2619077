import { LineCounter, parseDocument } from 'yaml';
import type { Place } from './json-fault.ts';

/** How often one anchor may be repeated, and how long the JSON may become by it; as the service's own tool has it. */
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
 * Returns the JSON of a YAML text as `portico import` makes it, so that both publish the same: YAML 1.2, core schema,
 * with merge keys; dates stay strings, an integer keeps all its digits, and members stay in order. Throws `YamlFault`.
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
    // Tags of other schemas, such as those of dates and sets, leave the value as written.
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
  sayValue(value, '', (part) => {
    if ((length += part.length) > expandedMax) throw new YamlFault('its aliases expand it beyond 64 MB', null);
    parts.push(part);
  });
  return { json: parts.join(''), value };
};

/** `name` is the member's name, for a message. */
const sayValue = (value: unknown, name: string, say: (part: string) => void): void => {
  if (value instanceof Map) {
    let before = '{';
    for (const [key, member] of value as ReadonlyMap<string, unknown>) {
      say(`${before}${JSON.stringify(key)}:`);
      sayValue(member, key, say);
      before = ',';
    }
    say(value.size === 0 ? '{}' : '}');
  } else if (Array.isArray(value)) {
    value.forEach((item: unknown, index) => {
      say(index === 0 ? '[' : ',');
      sayValue(item, name, say);
    });
    say(value.length === 0 ? '[]' : ']');
  } else if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new YamlFault(`${name || 'the document'} is ${value}, a number that JSON cannot say`, null);
  } else {
    say(typeof value === 'bigint' ? `${value}` : JSON.stringify(value));
  }
};
