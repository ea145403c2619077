import { plainLine } from '@portico/domain';

/** What a command says: results to standard output, everything else to standard error. */
export interface Terminal {
  /** Whether results are wanted as one JSON document. */
  readonly json: boolean;
  /** The result: `value` as JSON where that is wanted, else the lines. */
  result(value: unknown, lines: readonly string[]): void;
  /** A remark that is no result. */
  note(text: string): void;
}

export const createTerminal = (json: boolean, write = (text: string) => void process.stdout.write(text)): Terminal => ({
  json,
  result: (value, lines) => {
    const text = json ? shownJson(value) : lines.map(shownLine).join('\n');
    if (text) write(`${text}\n`);
  },
  note: (text) => void process.stderr.write(`${shownLine(text)}\n`),
});

/** What strangers wrote, or a server said, is read on its line and does nothing else to a terminal; an indent stays. */
export const shownLine = (line: string): string => `${/^ */.exec(line)?.[0] ?? ''}${plainLine(line)}`;

/** The same value, without a character that a terminal, or a reader of lines, takes for more than text. */
const shownJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(
    /[\p{Zl}\p{Zp}\p{Bidi_Control}\u007f-\u009f]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** `1 mail`, `2 mails`. */
export const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

/** An error that the operator can do something about: its message says what. */
export class OperatorError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = exitCodes.failure) {
    super(message);
    this.name = 'OperatorError';
    this.exitCode = exitCode;
  }
}

/** What a command ends with. */
export const exitCodes = { success: 0, failure: 1, usage: 2 } as const;
