/** How the story is told: in chapters, whose lines have what was asked on the left and what was answered on the right. */
export const say = (text = ''): void => void process.stdout.write(`${text}\n`);
export const chapter = (title: string): void => say(`\n${title}`);
export const line = (left: string, right: string | number): void => say(`   ${left.padEnd(46)} ${right}`);

export const bytesOf = (text: string): string => `${Buffer.byteLength(text).toLocaleString('en')} bytes`;
