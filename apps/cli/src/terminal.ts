import { plainLine } from '@portico/domain';
import type { Io } from './io.ts';

/** The output of a command: results go to standard output, everything else to standard error. */
export interface Terminal {
  /** Whether to print results as one JSON document. */
  readonly json: boolean;
  /** The streams, for what is neither a result nor a remark: an archive, a question, a progress bar. */
  readonly io: Io;
  /** Prints the result: `value` as JSON if that is wanted, else the lines. */
  result(value: unknown, lines: readonly string[]): void;
  /** Prints lines of the result as they come; not if it is printed as JSON, which `result` does at the end. */
  lines(lines: readonly string[]): void;
  /** Prints a remark that is not a result. */
  note(text: string): void;
}

export const createTerminal = (json: boolean, io: Io): Terminal => {
  const print = (text: string): void => {
    if (text) io.stdout.write(`${text}\n`);
  };
  const shown = (lines: readonly string[]): string => lines.map(shownLine).join('\n');
  return {
    json,
    io,
    result: (value, lines) => print(json ? shownJson(value) : shown(lines)),
    lines: (lines) => print(json ? '' : shown(lines)),
    note: (text) => void io.stderr.write(`${shownLine(text)}\n`),
  };
};

/** Makes untrusted text safe for a terminal: one line without control characters. An indent stays. */
export const shownLine = (line: string): string => `${/^ */.exec(line)?.[0] ?? ''}${plainLine(line)}`;

/** JSON that escapes every character with a meaning to a terminal or a line reader. */
const shownJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(
    /[\p{Zl}\p{Zp}\p{Bidi_Control}\u007f-\u009f]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** `1 mail`, `2 mails`. */
export const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

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
