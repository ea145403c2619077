import { pino, stdTimeFunctions, type DestinationStream, type Logger } from 'pino';

/** Redacted in every log line; logging one is a bug all the same. Paths without wildcards are cheap. */
const secretNames = [
  'authorization',
  'client_secret',
  'password',
  'secret',
  'token',
  'value',
  '["x-api-key"]',
  'err.command.args',
];

/** A write for each line would cost a tenth of a read. What is left is written on exit, and at once if it is fatal. */
const standardOutput = { dest: 1, sync: false, minLength: 4_096, periodicFlush: 100 };

/** Logs JSON lines to standard output, 4 KB or 100 ms at a time, or to `destination`; `fields` are added to each. */
export const createLogger = (
  level: string,
  name: string,
  destination: DestinationStream = pino.destination(standardOutput),
  fields?: () => object,
): Logger =>
  pino(
    {
      level,
      name,
      redact: { paths: secretNames, censor: '[redacted]' },
      formatters: { level: (label) => ({ level: label }) },
      timestamp: stdTimeFunctions.isoTime,
      ...(fields ? { mixin: fields } : {}),
    },
    destination,
  );

/**
 * Resolves once all lines are written, or cannot be. A process that exits earlier writes its last lines on exit,
 * perhaps ahead of one that is still being written.
 */
export const flush = (logger: Logger): Promise<void> => new Promise((resolve) => logger.flush(() => resolve()));
