/** The place of a byte in a UTF-8 text, as an editor shows it: both counted from 1, columns in characters. */
export function placeOf(bytes: Uint8Array, offset: number): string {
  let line = 1;
  let lineStart = 0;
  for (let at = bytes.indexOf(0x0a); at !== -1 && at < offset; at = bytes.indexOf(0x0a, at + 1)) {
    line++;
    lineStart = at + 1;
  }
  let column = 1;
  for (let at = lineStart; at < offset; at++) {
    // Bytes that continue a character are no column of their own (RFC 3629, section 3).
    if (((bytes[at] ?? 0) & 0xc0) !== 0x80) column++;
  }
  return `line ${line}, column ${column}`;
}
