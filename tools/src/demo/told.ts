/** How the story is told: in chapters, whose lines have what was asked on the left and what was answered on the right. */
export const say = (text = ''): void => void process.stdout.write(`${text}\n`);
export const chapter = (title: string): void => say(`\n${title}`);
export const line = (left: string, right: string | number): void => say(`   ${left.padEnd(46)} ${right}`);

export const bytesOf = (text: string): string => `${Buffer.byteLength(text).toLocaleString('en')} bytes`;

/** Throws unless what is told is what the story is about; else a worse answer would be told as well. */
export const agree = <Told>(told: Told, expected: Told): Told => {
  if (told === expected) return told;
  throw new Error(`The story is not true: it was to tell ${String(expected)}, and has ${String(told)}`);
};
