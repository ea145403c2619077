/**
 * Prints the output of the demo: chapters with lines that have the request on the left and the response on the right.
 */
export const print = (text = ''): void => void process.stdout.write(`${text}\n`);
export const printChapter = (title: string): void => print(`\n${title}`);
export const printLine = (label: string, value: string | number): void => print(`   ${label.padEnd(46)} ${value}`);

export const formatBytes = (text: string): string => `${Buffer.byteLength(text).toLocaleString('en')} bytes`;

/** Returns the value, or throws if it is not the expected one, so that the demo never prints a wrong result. */
export const expectEqual = <Value>(actual: Value, expected: Value): Value => {
  if (actual === expected) return actual;
  throw new Error(`Unexpected result in the demo: ${String(actual)} instead of ${String(expected)}`);
};
