/** Returns the text as one line of at most `max` UTF-16 code units, so that no document can add lines to a result. */
export const toOneLine = (text: string, max: number): string => {
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return line.length > max ? `${line.slice(0, max - 1).toWellFormed()}…` : line;
};
