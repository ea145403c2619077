/**
 * Prints the output of the demo: chapters with lines that have the request on the left and the response on the right.
 */
export const say = (text = ''): void => void process.stdout.write(`${text}\n`);
export const chapter = (title: string): void => say(`\n${title}`);
export const line = (left: string, right: string | number): void => say(`   ${left.padEnd(46)} ${right}`);

export const bytesOf = (text: string): string => `${Buffer.byteLength(text).toLocaleString('en')} bytes`;

/** Returns the value, or throws if it is not the expected one, so that the demo never prints a wrong result. */
export const expectEqual = <Value>(actual: Value, expected: Value): Value => {
  if (actual === expected) return actual;
  throw new Error(`Unexpected result in the demo: ${String(actual)} instead of ${String(expected)}`);
};
