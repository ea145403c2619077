import { unstorableAt, type DocumentReader, type Json } from '@portico/domain';
import { isObject, type JsonObject } from './json-values.ts';
import { readDocument } from './read-document.ts';
import { levelsMax, parsed, refused, scanned, utf8 } from './read-json.ts';

/** A body with its document read and its other members parsed. */
export type BodyRead = Awaited<ReturnType<DocumentReader['readBody']>>;

const documentName = 'openapi_spec';
/** In bytes, for all members beside the document together: they are handed to the main thread as values. */
const fieldsMax = 1_048_576;
const polluting: readonly string[] = ['__proto__', 'constructor'];

/** As `DocumentReader.readBody` promises, in this thread. */
export function readBody(bytes: Uint8Array): BodyRead {
  const body = utf8(bytes);
  // The body itself is no level.
  const { members } = scanned(body, levelsMax + 1);
  if (!members) throw refused('the body must be a JSON object');

  const fields: { [name: string]: Json } = {};
  let document: Uint8Array | null = null;
  let fieldBytes = 0;
  for (const { name, start, end } of members) {
    const text = body.subarray(start, end);
    refuseUnstorable(JSON.stringify(name), 'a name');
    if (name === documentName) {
      document = text;
      continue;
    }
    if (polluting.includes(name)) throw refused(`${name} is no member that can be taken`);
    if ((fieldBytes += end - start) > fieldsMax) throw refused(`the members beside ${documentName} take over 1 MiB`);
    refuseUnstorable(Buffer.from(text).toString(), name);
    fields[name] = parsed(text);
  }
  refusePolluting(fields['authentication'] ?? null, 'authentication');

  const value = document && parsed(document);
  const read = document && value !== null && !isBlank(value) ? readDocument(document, value, documentName) : null;
  return { fields, document: read };
}

const isBlank = (value: Json): boolean => typeof value === 'string' && value.trim() === '';

function refuseUnstorable(text: string, where: string): void {
  if (unstorableAt(text) !== null) throw refused(`${where} must not contain U+0000 or lone surrogates`);
}

function refusePolluting(value: Json, path: string): void {
  if (Array.isArray(value)) value.forEach((item: Json, i) => refusePolluting(item, `${path}[${i}]`));
  if (!isObject(value)) return;
  for (const [name, member] of Object.entries<Json>(value satisfies JsonObject)) {
    if (polluting.includes(name)) throw refused(`${path}.${name} is no member that can be taken`);
    refusePolluting(member, `${path}.${name}`);
  }
}
