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

/** Structured log lines (JSON) to standard output, or where `destination` says. */
export const createLogger = (
  level: string,
  name: string,
  destination: DestinationStream = pino.destination({ dest: 1, sync: false }),
): Logger => pino({ level, name, redact: { paths: secretNames, censor: '[redacted]' } }, destination);
