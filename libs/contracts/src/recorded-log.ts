type Level = 'debug' | 'info' | 'warn' | 'error';

export interface RecordedLine {
  readonly level: Level;
  readonly message: string;
  readonly fields: object;
}

/** Creates a log that records its lines, for tests of the messages to operators. */
export const recordLog = () => {
  const lines: RecordedLine[] = [];
  const recordAt = (level: Level) => (fields: object, message: string) => void lines.push({ level, message, fields });
  return {
    debug: recordAt('debug'),
    info: recordAt('info'),
    warn: recordAt('warn'),
    error: recordAt('error'),
    lines,
    /** Returns the messages with these levels, in order. Without arguments, returns all except `debug`. */
    messages: (...levels: readonly Level[]): string[] =>
      lines
        .filter(({ level }) => (levels.length === 0 ? level !== 'debug' : levels.includes(level)))
        .map(({ message }) => message),
  };
};

export type RecordedLog = ReturnType<typeof recordLog>;
