import { pino, type DestinationStream, type Logger } from 'pino';

/** Paths that no log line may show, whoever logs them; what logs them is a defect all the same. */
const secretPaths = ['authorization', 'x-api-key', 'client_secret', 'secret', 'token', 'value', 'password'].flatMap(
  (name) => [name, `*.${name}`, `*.*.${name}`],
);

/** Structured log lines (JSON) to standard output, or where `destination` says. */
export const createLogger = (
  level: string,
  name: string,
  destination: DestinationStream = pino.destination({ dest: 1, sync: false }),
): Logger => pino({ level, name, redact: { paths: secretPaths, censor: '[redacted]' } }, destination);
