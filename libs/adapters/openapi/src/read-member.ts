import { pollutingKeys, findUnstorableEscape, type ExtraVersion, type Json, type MemberRead } from '@portico/domain';
import { readDocument } from './read-document.ts';
import { levelsMax, parseJson, createInvalidBodyError, scanText, requireUtf8 } from './read-json.ts';

/**
 * Maximum total size of all members except the document, in bytes: these members are passed to the main thread as
 * values.
 */
const fieldBytesMax = 1_048_576;

/** Implements `DocumentReader.readMember` in the current thread. */
export function readMember(
  bytes: Uint8Array,
  documentName: string,
  extraVersions: readonly ExtraVersion[],
): MemberRead {
  const body = requireUtf8(bytes);
  // The body itself does not count as a level.
  const { members } = scanText(body, levelsMax + 1);
  if (!members) throw createInvalidBodyError('the body must be a JSON object');

  const fields: { [name: string]: Json } = {};
  let document: Uint8Array | null = null;
  let fieldBytes = 0;
  for (const member of members) {
    const name = parseJson(body.subarray(member.name.start, member.name.end)) as string;
    const text = body.subarray(member.value.start, member.value.end);
    rejectUnstorable(JSON.stringify(name), 'a name');
    if (name === documentName) {
      document = text;
      continue;
    }
    if (pollutingKeys.includes(name)) throw createInvalidBodyError(`${name} is not an allowed member`);
    if ((fieldBytes += text.length) > fieldBytesMax)
      throw createInvalidBodyError(`the members other than ${documentName} are larger than 1 MiB`);
    rejectUnstorable(Buffer.from(text).toString(), name);
    fields[name] = parseJson(text);
  }

  const value = document && parseJson(document);
  const isAbsent = value === null || isBlank(value);
  const result = document && !isAbsent ? readDocument(document, value, { name: documentName, extraVersions }) : null;
  return { fields, document: result };
}

const isBlank = (value: Json): boolean => typeof value === 'string' && value.trim() === '';

function rejectUnstorable(text: string, location: string): void {
  if (findUnstorableEscape(text) !== null)
    throw createInvalidBodyError(`${location} must not contain U+0000 or lone surrogates`);
}
