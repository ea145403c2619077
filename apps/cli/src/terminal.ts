/** What a command says: results to standard output, everything else to standard error. */
export interface Terminal {
  /** Whether results are wanted as one JSON document. */
  readonly json: boolean;
  /** The result: `value` as JSON where that is wanted, else the lines. */
  result(value: unknown, lines: readonly string[]): void;
  /** A remark that is no result. */
  note(text: string): void;
}

export const createTerminal = (json: boolean): Terminal => ({
  json,
  result: (value, lines) => {
    const text = json ? JSON.stringify(value, null, 2) : lines.join('\n');
    if (text) process.stdout.write(`${text}\n`);
  },
  note: (text) => void process.stderr.write(`${text}\n`),
});

/** An error that the operator can do something about: its message says what. */
export class OperatorError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'OperatorError';
  }
}

/** What a command ends with. */
export const exitCodes = { success: 0, failure: 1, usage: 2 } as const;
