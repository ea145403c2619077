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

/** Nobody waits for a line: only those gather that come while others are being written. On exit the rest is written. */
const standardOutput = { dest: 1, sync: false };

/** Logs JSON lines to standard output, or to `destination`; `fields` are added to each. */
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
