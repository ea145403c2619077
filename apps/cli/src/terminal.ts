import { toPlainLine } from '@portico/domain';
import type { Io } from './io.ts';

/** The output of a command: results go to standard output, everything else to standard error. */
export interface Terminal {
  /** Whether to print results as one JSON document. */
  readonly json: boolean;
  /** The streams, for output other than results and notes: an archive, a question, a progress bar. */
  readonly io: Io;
  /** Prints the result: `value` if JSON was requested, otherwise the lines. */
  printResult(value: unknown, lines: readonly string[]): void;
  /** Prints lines of the result as they become available; JSON output is printed at the end by `printResult`. */
  printLines(newLines: readonly string[]): void;
  /** Prints a note that is not part of the result. */
  printNote(text: string): void;
}

export const createTerminal = (json: boolean, io: Io): Terminal => {
  const print = (text: string): void => {
    if (text) io.stdout.write(`${text}\n`);
  };
  const format = (lines: readonly string[]): string => lines.map(toSafeLine).join('\n');
  return {
    json,
    io,
    printResult: (value, lines) => print(json ? toSafeJson(value) : format(lines)),
    printLines: (lines) => print(json ? '' : format(lines)),
    printNote: (text) => void io.stderr.write(`${toSafeLine(text)}\n`),
  };
};

/** Makes untrusted text safe for a terminal: one line without control characters. Indentation is kept. */
export const toSafeLine = (line: string): string => `${/^ */.exec(line)?.[0] ?? ''}${toPlainLine(line)}`;

/** Returns JSON in which every character with a special meaning to a terminal or a line reader is escaped. */
export const toSafeJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(
    /[\p{Zl}\p{Zp}\p{Bidi_Control}\u007f-\u009f]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Returns the count with the noun, such as `1 mail` or `2 mails`. */
export const formatCount = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** An error that the operator can fix: its message says how. */
export class OperatorError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = exitCodes.failure) {
    super(message);
    this.name = 'OperatorError';
    this.exitCode = exitCode;
  }
}

/** The exit codes of the tool. */
export const exitCodes = { success: 0, failure: 1, usage: 2 } as const;
