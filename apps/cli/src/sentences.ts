import { shownLine } from './terminal.ts';

interface LogLine {
  readonly level: string;
  readonly msg?: string;
  readonly err?: { readonly message?: string; readonly stack?: string };
}

/**
 * Turns the composition's JSON log lines into sentences for a person: the message and that of its error, without the
 * stack, which `LOG_LEVEL=debug` adds.
 */
export const createSentences = (write: (text: string) => void, withStacks: boolean): { write(line: string): void } => ({
  write: (line) => {
    const { level, msg = '', err } = JSON.parse(line) as LogLine;
    write(`portico: ${words[level] ?? ''}${shownLine([...new Set([msg, err?.message])].filter(Boolean).join(': '))}\n`);
    if (withStacks && err?.stack) write(`${err.stack}\n`);
  },
});

/** What stands before the message of a line, by its level; nothing for lower levels. */
const words: Readonly<Record<string, string>> = { warn: 'warning: ', error: 'error: ', fatal: 'error: ' };
