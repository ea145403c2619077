import { LineCounter, parseDocument } from 'yaml';
import type { Position } from './find-syntax-error-offset.ts';

/** The maximum number of aliases, and the maximum length of the expanded JSON, the same as in the service's tool. */
const aliasesMax = 10_000;
const expandedMax = 64_000_000;

export class YamlError extends Error {
  readonly position: Position | null;

  constructor(message: string, position: Position | null) {
    super(message);
    this.position = position;
  }
}

/**
 * Converts YAML to JSON as `portico import` does, so that both publish the same document: YAML 1.2, core schema, with
 * merge keys. Dates remain strings, integers keep all their digits, and members keep their order. Throws `YamlError`.
 */
export const convertYamlToJson = (text: string): { readonly json: string; readonly value: unknown } => {
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
  const [firstError] = document.errors;
  if (firstError) {
    const { line, col } = lines.linePos(firstError.pos[0]);
    throw new YamlError(firstError.message.trimEnd(), { line, column: col });
  }
  const value: unknown = document.toJS({ maxAliasCount: aliasesMax, mapAsMap: true });
  const parts: string[] = [];
  let length = 0;
  writeValue(value, '', (part) => {
    if ((length += part.length) > expandedMax)
      throw new YamlError('the document exceeds 64 MB once its aliases are expanded', null);
    parts.push(part);
  });
  return { json: parts.join(''), value };
};

/** Writes a value as JSON. `name` is the member's name, for error messages. */
const writeValue = (value: unknown, name: string, write: (part: string) => void): void => {
  if (value instanceof Map) {
    let separator = '{';
    for (const [key, member] of value as ReadonlyMap<string, unknown>) {
      write(`${separator}${JSON.stringify(key)}:`);
      writeValue(member, key, write);
      separator = ',';
    }
    write(value.size === 0 ? '{}' : '}');
  } else if (Array.isArray(value)) {
    value.forEach((item: unknown, index) => {
      write(index === 0 ? '[' : ',');
      writeValue(item, name, write);
    });
    write(value.length === 0 ? '[]' : ']');
  } else if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new YamlError(`${name || 'the document'} is ${value}, a number that JSON cannot represent`, null);
  } else {
    write(typeof value === 'bigint' ? `${value}` : JSON.stringify(value));
  }
};
