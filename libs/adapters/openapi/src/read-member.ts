import { pollutingKeys, unstorableAt, type Json, type MemberRead } from '@portico/domain';
import { readDocument } from './read-document.ts';
import { levelsMax, parsed, refused, scanned, utf8 } from './read-json.ts';

/** In bytes, for all members except the document together: they are passed to the main thread as values. */
const fieldsMax = 1_048_576;

/** Implements `DocumentReader.readMember`, in this thread. */
export function readMember(bytes: Uint8Array, documentName: string): MemberRead {
  const body = utf8(bytes);
  // The body itself does not count as a level.
  const { members } = scanned(body, levelsMax + 1);
  if (!members) throw refused('the body must be a JSON object');

  const fields: { [name: string]: Json } = {};
  let document: Uint8Array | null = null;
  let fieldBytes = 0;
  for (const member of members) {
    const name = parsed(body.subarray(member.name.start, member.name.end)) as string;
    const text = body.subarray(member.value.start, member.value.end);
    refuseUnstorable(JSON.stringify(name), 'a name');
    if (name === documentName) {
      document = text;
      continue;
    }
    if (pollutingKeys.includes(name)) throw refused(`${name} is no member that can be taken`);
    if ((fieldBytes += text.length) > fieldsMax) throw refused(`the members beside ${documentName} take over 1 MiB`);
    refuseUnstorable(Buffer.from(text).toString(), name);
    fields[name] = parsed(text);
  }

  const value = document && parsed(document);
  const read = document && value !== null && !isBlank(value) ? readDocument(document, value, documentName) : null;
  return { fields, document: read };
}

const isBlank = (value: Json): boolean => typeof value === 'string' && value.trim() === '';

function refuseUnstorable(text: string, where: string): void {
  if (unstorableAt(text) !== null) throw refused(`${where} must not contain U+0000 or lone surrogates`);
}
