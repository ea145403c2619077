/** One address and nothing round it: no name, no second address, no line break. */
export const isOneAddress = (text: string): boolean =>
  /^[^\s\p{Cc}@<>()[\]\\,;:"]+@[^\s\p{Cc}@<>()[\]\\,;:"]+$/u.test(text);
