/**
 * A JSON text under construction: a finished value as text, an object (null if a member is not set yet), or an array.
 */
export type Draft = string | DraftObject | Draft[];
export type DraftObject = Map<string, Draft | null>;

/** Returns the JSON text of a draft, without members that are not set. */
export function textOf(draft: Draft): string {
  if (typeof draft === 'string') return draft;
  if (Array.isArray(draft)) return `[${draft.map(textOf).join(',')}]`;
  const members: string[] = [];
  for (const [name, value] of draft) if (value !== null) members.push(`${JSON.stringify(name)}:${textOf(value)}`);
  return `{${members.join(',')}}`;
}

/** Returns the length of that text in UTF-8, in bytes. */
export function bytesOf(draft: Draft): number {
  if (typeof draft === 'string') return utf8LengthOf(draft);
  let [total, count] = [2, 0];
  if (Array.isArray(draft)) {
    for (const value of draft) {
      total += bytesOf(value);
      count++;
    }
  } else {
    for (const [name, value] of draft) {
      if (value === null) continue;
      total += nameBytesOf(name) + bytesOf(value);
      count++;
    }
  }
  return total + Math.max(0, count - 1);
}

/** Returns the size of a member's name and its colon, in bytes. */
export const nameBytesOf = (name: string): number => utf8LengthOf(JSON.stringify(name)) + 1;

/** Returns the length of a well-formed text in UTF-8, in bytes. */
export function utf8LengthOf(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    // Each half of a surrogate pair counts as two of the pair's four bytes.
    if (unit > 0x7f) bytes += unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1;
  }
  return bytes;
}
