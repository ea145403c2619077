import { isScalar, LineCounter, parseDocument, visit, type Document, type YAMLError, type YAMLMap } from 'yaml';
import { refused } from './read-json.ts';

/**
 * Most characters that separate values, counted before the text is parsed. The parser takes up to 400 bytes for each,
 * so this keeps it below the heap of a reading thread; a real document of 3.3 MB has 210,000.
 */
const marksMax = 1_000_000;
/** In characters of JSON: aliases can repeat a small text many times. */
const expandedMax = 64_000_000;
/** How often one anchor may be repeated, nested anchors included. */
const aliasesMax = 10_000;

/**
 * Returns the JSON of a YAML text (YAML 1.2, core schema, with merge keys): keys are strings, dates stay strings, an
 * integer keeps all its digits, and members stay in order. Throws `invalid_body` with line and column for malformed
 * text or a duplicate key, and for what JSON cannot express.
 */
export function jsonOfYaml(text: Uint8Array): Uint8Array {
  if (marksIn(text) > marksMax) throw refused(`too large to be checked: more than ${marksMax} parts of YAML`);
  const lines = new LineCounter();
  const document = parsedYaml(Buffer.from(text).toString(), lines);
  const [fault] = document.errors;
  if (fault) throw refused(`not valid YAML: ${messageOf(fault)} at ${placeIn(lines, fault.pos[0])}`, fault);

  try {
    refuseDuplicates(document, lines);
    // Maps keep the order of the text; objects would put names that look like numbers first.
    return jsonOf(document.toJS({ maxAliasCount: aliasesMax, mapAsMap: true }));
  } catch (error) {
    if (error instanceof RangeError) throw refused('nested too deeply to be read as YAML', error);
    if (error instanceof ReferenceError) throw refused(`not valid YAML: ${error.message}`, error);
    throw error;
  }
}

function marksIn(text: Uint8Array): number {
  let count = 0;
  for (const byte of text) if (marks.has(byte)) count++;
  return count;
}

const marks: ReadonlySet<number> = new Set(Buffer.from(',:[{?-\n'));

function parsedYaml(text: string, lines: LineCounter): Document.Parsed {
  try {
    return parseDocument(text, {
      version: '1.2',
      merge: true,
      stringKeys: true,
      // The parser would compare each key with all before it: `refuseDuplicates` takes its place.
      uniqueKeys: false,
      intAsBigInt: true,
      prettyErrors: false,
      lineCounter: lines,
      logLevel: 'error',
      // Tags of other schemas, such as those of dates and sets, leave the value as written.
      resolveKnownTags: false,
    });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw refused('nested too deeply to be read as YAML', error); // The parser recurses.
  }
}

/** All keys are strings by now. */
function refuseDuplicates(document: Document.Parsed, lines: LineCounter): void {
  visit(document, {
    Map(_key, { items }: YAMLMap) {
      const known = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (known.has(key.value)) {
          throw refused(`not valid YAML: Map keys must be unique at ${placeIn(lines, key.range?.[0] ?? 0)}`);
        }
        known.add(key.value);
      }
    },
  });
}

const messageOf = (fault: YAMLError): string => fault.message.replace(/\s+$/, '');

function placeIn(lines: LineCounter, offset: number): string {
  const { line, col } = lines.linePos(offset);
  return `line ${line}, column ${col}`;
}

/** Written piece by piece, so that oversized JSON is refused before it is built. */
function jsonOf(value: unknown): Uint8Array {
  const chunks: Buffer[] = [];
  let chunk = '';
  let length = 0;
  const say = (text: string): void => {
    if ((length += text.length) > expandedMax) {
      throw refused('too large to be checked: the aliases of the YAML text expand it beyond 64 MB');
    }
    chunk += text;
    if (chunk.length < chunkLength) return;
    chunks.push(Buffer.from(chunk));
    chunk = '';
  };
  sayValue(value, '', say);
  return Buffer.concat([...chunks, Buffer.from(chunk)]);
}

/** In characters. */
const chunkLength = 65_536;

/** `name` is the member's name, for a message. */
function sayValue(value: unknown, name: string, say: (text: string) => void): void {
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
    throw refused(`not valid JSON: ${name || 'the document'} is ${value}, a number that JSON cannot say`);
  } else {
    say(typeof value === 'bigint' ? `${value}` : JSON.stringify(value));
  }
}
