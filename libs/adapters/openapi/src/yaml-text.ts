import { LineCounter, parseDocument, type Document, type YAMLError } from 'yaml';
import { refused } from './read-json.ts';

/**
 * Marks that part values from each other, counted before the text is parsed. The parser makes up to 400 bytes of each, so
 * what passes here stays below the heap of a reading thread; a real document of 3.3 MB has 210,000.
 */
const marksMax = 1_000_000;
/** In characters of JSON, roughly: aliases may say a small text many times over. */
const expandedMax = 64_000_000;
/** How often one anchor may be said again, those within it counted too. */
const aliasesMax = 10_000;

/**
 * The JSON that a YAML text means (YAML 1.2, core schema, with merge keys): keys are texts, dates stay texts, and an
 * integer keeps all its digits. Raises `invalid_body` with line and column for what is malformed or says a key twice,
 * and for what JSON cannot say.
 */
export function jsonOfYaml(text: Uint8Array): Uint8Array {
  if (marksIn(text) > marksMax) throw refused(`too large to be checked: more than ${marksMax} parts of YAML`);
  const lines = new LineCounter();
  const document = parsedYaml(Buffer.from(text).toString(), lines);
  const [fault] = document.errors;
  if (fault) throw refused(`not valid YAML: ${messageOf(fault)} at ${placeIn(lines, fault.pos[0])}`, fault);

  const value = valueOf(document);
  if (sizeOf(value, expandedMax) > expandedMax) {
    throw refused('too large to be checked: the aliases of the YAML text expand it beyond 64 MB');
  }
  return Buffer.from(JSON.stringify(value, sayable));
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
      intAsBigInt: true,
      prettyErrors: false,
      lineCounter: lines,
      logLevel: 'error',
    });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw refused('nested too deeply to be read as YAML', error); // The parser goes down by calls.
  }
}

function valueOf(document: Document.Parsed): unknown {
  try {
    return document.toJS({ maxAliasCount: aliasesMax });
  } catch (error) {
    if (error instanceof RangeError) throw refused('nested too deeply to be read as YAML', error);
    if (error instanceof ReferenceError) throw refused(`not valid YAML: ${error.message}`, error);
    throw error;
  }
}

const messageOf = (fault: YAMLError): string => fault.message.replace(/\s+$/, '');

function placeIn(lines: LineCounter, offset: number): string {
  const { line, col } = lines.linePos(offset);
  return `line ${line}, column ${col}`;
}

/** About the length of a value as JSON; counting stops once it is more than `most`. */
function sizeOf(value: unknown, most: number): number {
  if (typeof value === 'string') return value.length + 3;
  if (typeof value !== 'object' || value === null) return 8;
  let size = 2;
  for (const [name, member] of Object.entries(value)) {
    size += (Array.isArray(value) ? 0 : name.length + 3) + sizeOf(member, most - size);
    if (size > most) break;
  }
  return size;
}

/** What JSON writes for a value of YAML that it has no form of its own for. */
function sayable(name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return rawJson(String(value));
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw refused(`not valid JSON: ${name || 'the document'} is ${value}, a number that JSON cannot say`);
  }
  return value;
}

/** `JSON.rawJSON` of ECMAScript, which the compiler's library does not name yet. */
const rawJson = (JSON as unknown as { readonly rawJSON: (text: string) => unknown }).rawJSON;
