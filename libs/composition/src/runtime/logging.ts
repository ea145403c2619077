import { pino, type DestinationStream, type Logger } from 'pino';

/** What no log line may show, whoever logs it; that someone tries is a defect all the same. Paths without wildcards cost little. */
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

/** Structured log lines (JSON) to standard output, or where `destination` says. Without a `minLength` it could not be flushed. */
export const createLogger = (
  level: string,
  name: string,
  destination: DestinationStream = pino.destination({ dest: 1, sync: false, minLength: 1 }),
): Logger => pino({ level, name, redact: { paths: secretNames, censor: '[redacted]' } }, destination);

/**
 * Fulfilled once all lines are written, or cannot be. A process that exits earlier writes the last ones itself, and they may come
 * before one that is being written.
 */
export const flush = (logger: Logger): Promise<void> => new Promise((resolve) => logger.flush(() => resolve()));
