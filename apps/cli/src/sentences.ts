import { shownLine } from './terminal.ts';

interface LogLine {
  readonly level: number;
  readonly msg?: string;
  readonly err?: { readonly message?: string; readonly stack?: string };
}

/**
 * Where the log of the composition goes while a person reads: each line of JSON as a sentence on standard error, with what an
 * error says and without its stack, which `LOG_LEVEL=debug` adds.
 */
export const createSentences = (write: (text: string) => void, withStacks: boolean): { write(line: string): void } => ({
  write: (line) => {
    const { level, msg = '', err } = JSON.parse(line) as LogLine;
    write(`portico: ${wordOf(level)}${shownLine([...new Set([msg, err?.message])].filter(Boolean).join(': '))}\n`);
    if (withStacks && err?.stack) write(`${err.stack}\n`);
  },
});

/** Levels of pino. */
const wordOf = (level: number): string => {
  if (level >= 50) return 'error: ';
  return level >= 40 ? 'warning: ' : '';
};
