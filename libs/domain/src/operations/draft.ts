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
  if (typeof draft === 'string') return utf8Length(draft);
  let [sum, parts] = [2, 0];
  if (Array.isArray(draft)) {
    for (const value of draft) {
      sum += bytesOf(value);
      parts++;
    }
  } else {
    for (const [name, value] of draft) {
      if (value === null) continue;
      sum += nameBytes(name) + bytesOf(value);
      parts++;
    }
  }
  return sum + Math.max(0, parts - 1);
}

/** Returns the size of a member's name and its colon, in bytes. */
export const nameBytes = (name: string): number => utf8Length(JSON.stringify(name)) + 1;

/** Returns the length of a well-formed text in UTF-8, in bytes. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    // Each half of a surrogate pair counts as two of the pair's four bytes.
    if (unit > 0x7f) bytes += unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1;
  }
  return bytes;
}
