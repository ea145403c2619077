/**
 * Returns the first `max` characters of a text (Unicode code points) without reading any further; returns a shorter
 * text whole.
 */
export const takeFirstCharacters = (text: string, max: number): string => {
  let end = 0;
  for (let count = 0; count < max && end < text.length; count++) end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  return text.slice(0, end);
};

/** Whether a text has at most this many characters (Unicode code points). Reads no further than that. */
export const hasAtMostCharacters = (text: string, max: number): boolean =>
  takeFirstCharacters(text, max).length === text.length;
