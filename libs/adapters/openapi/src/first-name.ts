import { scanJson, type DocumentPath, type JsonSpan } from '@portico/domain';

/**
 * Returns the first member name of the object at `path` in a JSON text that `scanJson` has accepted; undefined if there
 * is no object or it is empty. If a member on the path is duplicated, the last one counts, as in `JSON.parse`.
 */
export function firstNameAt(text: Uint8Array, path: DocumentPath): string | undefined {
  let part: Uint8Array | undefined = text;
  for (const token of path) part = part && partOf(part, token);
  const [firstMember] = (part && scan(part).members) ?? [];
  return part && firstMember && nameIn(part, firstMember.name);
}

const scan = (text: Uint8Array) => scanJson(text, { nestingMax: Infinity, valuesMax: Infinity });

/** Returns the text of the value of the member, or of the item, that `token` selects. */
const partOf = (text: Uint8Array, token: string | number): Uint8Array | undefined => {
  const { members, items } = scan(text);
  const span =
    typeof token === 'number' ? items?.[token] : members?.findLast(({ name }) => nameIn(text, name) === token)?.value;
  return span && textAt(text, span);
};

const textAt = (text: Uint8Array, { start, end }: JsonSpan): Uint8Array => text.subarray(start, end);

const nameIn = (text: Uint8Array, name: JsonSpan): string =>
  JSON.parse(Buffer.from(textAt(text, name)).toString()) as string;
