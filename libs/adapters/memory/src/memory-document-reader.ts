import { createHash } from 'node:crypto';
import { constants, crc32, deflateRawSync } from 'node:zlib';
import {
  documentFacts,
  documentError,
  PorticoError,
  unstorableAt,
  warningOf,
  type DocumentPath,
  type DocumentReader,
  type DocumentWarning,
  type Json,
  type ReadDocument,
} from '@portico/domain';
import { jsonOfPlainYaml } from './plain-yaml.ts';

type JsonObject = { readonly [name: string]: Json };

const levelsMax = 100;
const warningsShown = 20;
const polluting = ['__proto__', 'constructor'];

/** Reads documents in the calling thread, by the plainest means: for tests, and for seeing what a reader promises. */
export function createMemoryDocumentReader(): DocumentReader {
  return {
    async readBody(body, deadline) {
      const bytes = taken(body);
      // As a reader elsewhere: it takes the bytes at once, and reads them later.
      await Promise.resolve();
      if (deadline?.expired) throw new PorticoError('timed_out');
      const text = textOf(bytes);
      const parsed = parsedJson(text);
      if (!isObject(parsed)) throw refused('the body must be a JSON object');
      refuseDeep(parsed, '', 0);
      const members = membersOf(text);
      for (const { name, text } of members) refuseUnstorable(name, name === 'openapi_spec' ? '' : text);
      refusePolluting(parsed, '');
      refusePolluting(parsed['authentication'] ?? null, 'authentication.');
      const { openapi_spec: document = null, ...fields } = parsed;
      if (document === null || (typeof document === 'string' && document.trim() === '')) {
        return { fields, document: null };
      }
      const documentText = members.findLast(({ name }) => name === 'openapi_spec')?.text ?? '';
      return { fields, document: readDocument(documentText, document, 'openapi_spec') };
    },
    async readFile(content, format) {
      const text = format === 'yaml' ? jsonOfPlainYaml(textOf(content)) : textOf(content).trim();
      const document = parsedJson(text);
      refuseDeep(document, '', 1);
      return readDocument(text, document);
    },
  };
}

const refused = (because: string): PorticoError => new PorticoError('invalid_body', { because });
const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Takes the bytes over from the caller, where no one else has a part in their buffer. */
const taken = (body: Uint8Array): Uint8Array =>
  body.buffer instanceof ArrayBuffer && body.byteLength === body.buffer.byteLength
    ? new Uint8Array(body.buffer.transfer())
    : body.slice();

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new PorticoError('invalid_body', { because: 'the text is not valid UTF-8', cause });
  }
}

function parsedJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (cause) {
    throw new PorticoError('invalid_body', { because: `not valid JSON: ${(cause as Error).message}`, cause });
  }
}

function refuseDeep(value: Json, path: string, level: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (level > levelsMax) throw refused(`${path} is nested deeper than ${levelsMax} levels`);
  for (const [name, member] of Object.entries(value)) refuseDeep(member, `${path}/${name}`, level + 1);
}

function refusePolluting(value: Json, prefix: string): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (polluting.includes(name)) throw refused(`${prefix}${name} is no member that can be taken`);
    if (prefix) refusePolluting(member, `${prefix}${name}.`);
  }
}

function refuseUnstorable(name: string, text: string): void {
  if (unstorableAt(JSON.stringify(name) + text) === null) return;
  throw refused(`${name} must not contain U+0000 or lone surrogates`);
}

/** The members of the text of a valid JSON object in their order, doubled ones too, each with the text of its value. */
function membersOf(text: string): readonly { readonly name: string; readonly text: string }[] {
  const found: { name: string; text: string }[] = [];
  let depth = 0;
  let name: string | null = null;
  let start = 0;
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g)) {
    if (depth === 1 && (token === ',' || token === '}')) {
      if (name !== null) found.push({ name, text: text.slice(start, index).trim() });
      name = null;
    } else if (depth === 1 && name === null) {
      name = JSON.parse(token) as string;
    } else if (depth === 1 && token === ':') {
      start = index + 1;
    }
    if (token === '{' || token === '[') depth++;
    if (token === '}' || token === ']') depth--;
  }
  return found;
}

function readDocument(text: string, document: Json, name?: string): ReadDocument {
  const fault = documentError(document, name);
  if (fault) throw refused(fault);
  const bytes = Buffer.from(text);
  const { violations, ...facts } = documentFacts(document, firstNameIn(text));
  const warnings = [...violations.map(warningOf), ...schemaWarnings(document as JsonObject)];
  return {
    packed: {
      deflated: new Uint8Array(deflateRawSync(bytes, { level: 6, finishFlush: constants.Z_SYNC_FLUSH })),
      crc32: crc32(bytes),
      bytes: bytes.length,
    },
    digest: createHash('sha256').update(bytes).digest('hex'),
    ...facts,
    warnings: { total: warnings.length, first: warnings.slice(0, warningsShown) },
  };
}

/** No name looks like a number once all begin with a letter, so that objects keep the order of the text. */
const firstNameIn =
  (text: string) =>
  (path: DocumentPath): string | undefined => {
    let value = JSON.parse(text.replaceAll(/"(?:[^"\\]|\\.)*"/g, (part) => `"_${part.slice(1)}`)) as Json | undefined;
    for (const token of path)
      value = (value as Record<string, Json> | undefined)?.[typeof token === 'string' ? `_${token}` : token];
    return isObject(value) ? Object.keys(value)[0]?.slice(1) : undefined;
  };

/** Two of the many violations that a real reader knows: enough to see how they are told. */
function schemaWarnings(document: JsonObject): DocumentWarning[] {
  const found: DocumentWarning[] = [];
  const info = document['info'];
  if (isObject(info) && !('version' in info)) found.push({ pointer: '/info', message: "must have property 'version'" });
  const paths = document['paths'];
  for (const [path, item] of Object.entries(isObject(paths) ? paths : {})) {
    for (const [method, operation] of Object.entries(isObject(item) ? item : {})) {
      if (!/^(get|put|post|delete|options|head|patch|trace)$/.test(method)) continue;
      if (!isObject(operation) || 'responses' in operation) continue;
      found.push(warningOf({ path: ['paths', path, method], message: "must have property 'responses'" }));
    }
  }
  return found;
}
