import { isScalar, LineCounter, parseDocument, visit, type Document, type YAMLError, type YAMLMap } from 'yaml';
import { createInvalidBodyError } from './read-json.ts';
import type { Violations } from './violations.ts';
import { keepNumberTexts, NumberText } from './yaml-numbers.ts';

/**
 * Maximum number of characters that separate values, counted before the text is parsed. The parser uses up to 400 bytes
 * for each one, so this limit ensures that it does not exceed the heap of a reader thread. A real document of 3.3 MB
 * has 210,000 of them.
 */
const separatorsMax = 1_000_000;
/** Maximum length of the resulting JSON, in characters: aliases can repeat a small text many times. */
const expandedLengthMax = 64_000_000;
/** Maximum number of aliases of one anchor, including nested anchors. */
const aliasesMax = 10_000;

/**
 * Converts a YAML text (YAML 1.2, core schema, with merge keys) to JSON: keys are strings, dates remain strings,
 * numbers keep all their digits, and members keep their order. Numbers that JSON has no notation for, `.nan` and `.inf`,
 * become null, with a warning. Throws `invalid_body`, with line and column, for malformed text or a duplicate key, and,
 * with `requiresValues`, for a member of a flow mapping without a value: a typing error, if the text is almost JSON.
 */
export function convertYamlToJson(
  text: Uint8Array,
  warnings: Violations,
  { requiresValues = false }: { readonly requiresValues?: boolean } = {},
): Uint8Array {
  if (countSeparators(text) > separatorsMax)
    throw createInvalidBodyError(`too large to be checked: more than ${separatorsMax} parts of YAML`);
  const lines = new LineCounter();
  const document = parseYaml(Buffer.from(text).toString(), lines);
  const [error] = document.errors;
  if (error)
    throw createInvalidBodyError(`not valid YAML: ${messageOf(error)} at ${positionOf(lines, error.pos[0])}`, error);

  try {
    rejectDuplicates(document, lines);
    if (requiresValues) rejectMissingValues(document, lines);
    // Maps preserve the text's order; objects would put names that look like numbers first.
    return jsonOf(document.toJS({ maxAliasCount: aliasesMax, mapAsMap: true }), warnings);
  } catch (error) {
    if (error instanceof RangeError) throw createInvalidBodyError('nested too deeply to be read as YAML', error);
    if (error instanceof ReferenceError) throw createInvalidBodyError(`not valid YAML: ${error.message}`, error);
    throw error;
  }
}

function countSeparators(text: Uint8Array): number {
  let count = 0;
  for (const byte of text) if (separators.has(byte)) count++;
  return count;
}

const separators: ReadonlySet<number> = new Set(Buffer.from(',:[{?-\n'));

function parseYaml(text: string, lines: LineCounter): Document.Parsed {
  try {
    return parseDocument(text, {
      version: '1.2',
      merge: true,
      stringKeys: true,
      // The parser would compare each key with all previous ones; `rejectDuplicates` is used instead.
      uniqueKeys: false,
      intAsBigInt: true,
      customTags: (tags) => tags.map(keepNumberTexts),
      prettyErrors: false,
      lineCounter: lines,
      logLevel: 'error',
      // Values with tags of other schemas, such as those for dates and sets, are left as written.
      resolveKnownTags: false,
    });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw createInvalidBodyError('nested too deeply to be read as YAML', error); // The parser recurses.
  }
}

/** Throws `invalid_body` for a duplicate key. Expects all keys to be strings. */
function rejectDuplicates(document: Document.Parsed, lines: LineCounter): void {
  visit(document, {
    Map(_key, { items }: YAMLMap) {
      const knownKeys = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (knownKeys.has(key.value)) {
          throw createInvalidBodyError(
            `not valid YAML: Map keys must be unique at ${positionOf(lines, key.range?.[0] ?? 0)}`,
          );
        }
        knownKeys.add(key.value);
      }
    },
  });
}

function rejectMissingValues(document: Document.Parsed, lines: LineCounter): void {
  visit(document, {
    Map(_key, { items, flow }: YAMLMap) {
      for (const { key, value } of flow ? items : []) {
        if (value !== null && !(isScalar(value) && value.source === '')) continue;
        const offset = isScalar(key) ? (key.range?.[0] ?? 0) : 0;
        throw createInvalidBodyError(`a member without a value at ${positionOf(lines, offset)}`);
      }
    },
  });
}

/** Returns the parser's message, except for one that addresses the parser's own callers. */
const messageOf = ({ code, message }: YAMLError): string =>
  code === 'MULTIPLE_DOCS'
    ? 'the text contains more than one document; put each into a file of its own. The next one starts'
    : message.replace(/\s+$/, '');

function positionOf(lines: LineCounter, offset: number): string {
  const { line, col } = lines.linePos(offset);
  return `line ${line}, column ${col}`;
}

/** Writes the JSON piece by piece, so that oversized JSON is rejected before it is built. */
function jsonOf(value: unknown, warnings: Violations): Uint8Array {
  const chunks: Buffer[] = [];
  let chunk = '';
  let length = 0;
  const write = (text: string): void => {
    if ((length += text.length) > expandedLengthMax) {
      throw createInvalidBodyError('too large to be checked: the aliases of the YAML text expand it beyond 64 MB');
    }
    chunk += text;
    if (chunk.length < chunkLength) return;
    chunks.push(Buffer.from(chunk));
    chunk = '';
  };
  writeValue(value, { path: [], warnings, write });
  return Buffer.concat([...chunks, Buffer.from(chunk)]);
}

/** The number of characters to collect before they are encoded. */
const chunkLength = 65_536;

/** The position of the value that is being written. The path changes as writing proceeds. */
interface Output {
  readonly path: (string | number)[];
  readonly warnings: Violations;
  readonly write: (text: string) => void;
}

function writeValue(value: unknown, output: Output): void {
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
}

function writeAt(token: string | number, value: unknown, output: Output): void {
  output.path.push(token);
  writeValue(value, output);
  output.path.pop();
}

function scalarOf(value: unknown, { path, warnings }: Output): string {
  if (value instanceof NumberText) return value.text;
  if (typeof value === 'bigint') return `${value}`;
  if (typeof value === 'number' && !Number.isFinite(value)) {
    warnings.add(path, `is ${formatNonFinite(value)}, a number that JSON cannot represent; null is stored instead`);
    return 'null';
  }
  return JSON.stringify(value);
}

const formatNonFinite = (value: number): string => (Number.isNaN(value) ? '.nan' : value > 0 ? '.inf' : '-.inf');
