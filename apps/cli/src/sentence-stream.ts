import { toSafeLine } from './terminal.ts';

interface LogLine {
  readonly level: string;
  readonly msg?: string;
  readonly err?: { readonly message?: string; readonly stack?: string };
}

/**
 * Creates a stream that turns the composition's JSON log lines into sentences for people: the message and the error's
 * message, without the stack trace, which `LOG_LEVEL=debug` adds.
 */
export const createSentenceStream = (
  write: (text: string) => void,
  showsStacks: boolean,
): { write(line: string): void } => ({
  write: (line) => {
    const { level, msg = '', err } = JSON.parse(line) as LogLine;
    write(
      `portico: ${prefixes[level] ?? ''}${toSafeLine([...new Set([msg, err?.message])].filter(Boolean).join(': '))}\n`,
    );
    if (showsStacks && err?.stack) write(`${err.stack}\n`);
  },
});

/** The prefix of a line, by level; lower levels have none. */
const prefixes: Readonly<Record<string, string>> = { warn: 'warning: ', error: 'error: ', fatal: 'error: ' };
