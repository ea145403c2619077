import { isScalar, LineCounter, parseDocument, visit, type Document, type YAMLError, type YAMLMap } from 'yaml';
import type { Position } from './find-syntax-error-offset.ts';
import { keepNumberTexts, NumberText } from './yaml-numbers.ts';

/** The maximum number of aliases, and the maximum length of the expanded JSON, the same as in the service's tool. */
const aliasesMax = 10_000;
const expandedMax = 64_000_000;

/** A value that cannot be kept, and its JSON Pointer. */
export interface Notice {
  readonly pointer: string;
  readonly message: string;
}

export interface ConvertedText {
  readonly json: string;
  readonly value: unknown;
  readonly notices: readonly Notice[];
}

export class YamlError extends Error {
  readonly position: Position | null;

  constructor(message: string, position: Position | null) {
    super(message);
    this.position = position;
  }
}

/**
 * Converts YAML to JSON as `portico import` does, so that both publish the same document: YAML 1.2, core schema, with
 * merge keys. Dates remain strings, numbers keep all their digits, and members keep their order. Numbers that JSON cannot
 * represent become null, with a notice. Throws `YamlError`, with `requiresValues` also for a member of a flow mapping
 * without a value: a typing error, if the text is almost JSON.
 */
export const convertYamlToJson = (
  text: string,
  { requiresValues = false }: { readonly requiresValues?: boolean } = {},
): ConvertedText => {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    version: '1.2',
    merge: true,
    stringKeys: true,
    intAsBigInt: true,
    customTags: (tags) => tags.map(keepNumberTexts),
    prettyErrors: false,
    lineCounter: lines,
    logLevel: 'error',
    // Values with tags from other schemas, such as dates and sets, are left as written.
    resolveKnownTags: false,
  });
  const [firstError] = document.errors;
  if (firstError) {
    const { line, col } = lines.linePos(firstError.pos[0]);
    throw new YamlError(messageOf(firstError), { line, column: col });
  }
  if (requiresValues) rejectMissingValues(document);
  const value: unknown = document.toJS({ maxAliasCount: aliasesMax, mapAsMap: true });
  const parts: string[] = [];
  const notices: Notice[] = [];
  let length = 0;
  const write = (part: string): void => {
    if ((length += part.length) > expandedMax)
      throw new YamlError('the document exceeds 64 MB once its aliases are expanded', null);
    parts.push(part);
  };
  writeValue(value, { path: [], notices, write });
  return { json: parts.join(''), value, notices };
};

/** Returns the parser's message, except for one that addresses the parser's own callers. */
const messageOf = ({ code, message }: YAMLError): string =>
  code === 'MULTIPLE_DOCS'
    ? 'the text contains more than one document; put each into a file of its own'
    : message.trimEnd();

const rejectMissingValues = (document: Document.Parsed): void =>
  visit(document, {
    Map(_key, { items, flow }: YAMLMap) {
      const isIncomplete = (value: unknown) => value === null || (isScalar(value) && value.source === '');
      if (flow && items.some(({ value }) => isIncomplete(value))) throw new YamlError('a member has no value', null);
    },
  });

/** The maximum number of notices. */
const noticesMax = 20;

/** The position of the value that is being written. The path changes as writing proceeds. */
interface Output {
  readonly path: (string | number)[];
  readonly notices: Notice[];
  readonly write: (part: string) => void;
}

const writeValue = (value: unknown, output: Output): void => {
  const { write } = output;
  if (value instanceof Map) {
    let separator = '{';
    for (const [key, member] of value as ReadonlyMap<string, unknown>) {
      write(`${separator}${JSON.stringify(key)}:`);
      writeAt(key, member, output);
      separator = ',';
    }
    write(value.size === 0 ? '{}' : '}');
  } else if (Array.isArray(value)) {
    value.forEach((item: unknown, index) => {
      write(index === 0 ? '[' : ',');
      writeAt(index, item, output);
    });
    write(value.length === 0 ? '[]' : ']');
  } else {
    write(scalarOf(value, output));
  }
};

const writeAt = (token: string | number, value: unknown, output: Output): void => {
  output.path.push(token);
  writeValue(value, output);
  output.path.pop();
};

const scalarOf = (value: unknown, { path, notices }: Output): string => {
  if (value instanceof NumberText) return value.text;
  if (typeof value === 'bigint') return `${value}`;
  if (typeof value !== 'number' || Number.isFinite(value)) return JSON.stringify(value);
  const name = Number.isNaN(value) ? '.nan' : value > 0 ? '.inf' : '-.inf';
  const pointer = path.map((token) => `/${String(token).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  const message = `is ${name}, a number that JSON cannot represent; null is stored instead`;
  if (notices.length < noticesMax) notices.push({ pointer, message });
  return 'null';
};
