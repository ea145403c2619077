/** Returns the first characters of a text (Unicode code points) without looking further; a shorter text is returned whole. */
export const firstCharacters = (text: string, most: number): string => {
  let end = 0;
  for (let count = 0; count < most && end < text.length; count++) end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  return text.slice(0, end);
};

/** Whether a text has at most this many characters (Unicode code points). Looks no further than that. */
export const hasAtMost = (text: string, most: number): boolean => firstCharacters(text, most).length === text.length;
