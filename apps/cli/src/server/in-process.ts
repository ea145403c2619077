import { version, type Portico } from '@portico/composition';
import { createApi, type Api } from './api.ts';

/** Only the operator waits for the response, and can interrupt the command. */
const responseTimeoutMs = 3_600_000;

/**
 * The API of an application in this process, on these stores and with the operator's authority: the audit log names no
 * actor. The application is loaded lazily, because loading it would dominate the start of a command.
 */
export const apiInProcess = async ({ useCases, documents, config, logger }: Portico): Promise<Api> => {
  const { createOperatorCalls } = await import('@portico/http');
  // The request is already visible on the command line.
  const quiet = logger.level === 'info' ? logger.child({}, { level: 'warn' }) : logger;
  // The limit of small bodies from the network does not apply either: a list of members may be long.
  const settings = { ...config, version, bodyLimitBytes: config.specBodyLimitBytes };
  const call = createOperatorCalls({
    useCases,
    documents,
    settings,
    logger: quiet,
    responseTimeoutMs,
  });
  return createApi({
    name: 'The application in this process',
    send: call,
    explain: ({ status, detail }) => (status >= 500 ? `${detail}: the line above says why` : detail),
  });
};
