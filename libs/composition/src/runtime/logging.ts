import { pino, stdTimeFunctions, type DestinationStream, type Logger } from 'pino';

/**
 * The fields that are redacted in every log line, although logging one is still a bug. Paths without wildcards are
 * cheap.
 */
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

/**
 * Logs JSON lines to standard output, or to `destination`; `fields` are added to each line. A line is written before
 * the call returns, so that the lines of a killed process are complete and in order.
 */
export const createLogger = (
  level: string,
  name: string,
  destination: DestinationStream = pino.destination({ dest: 1, sync: true }),
  getFields?: () => object,
): Logger =>
  pino(
    {
      level,
      name,
      redact: { paths: secretNames, censor: '[redacted]' },
      formatters: { level: (label) => ({ level: label }) },
      timestamp: stdTimeFunctions.isoTime,
      ...(getFields ? { mixin: getFields } : {}),
    },
    destination,
  );
