import { version, type Portico } from '@portico/composition';
import { createApi, type Api } from './api.ts';

/** Long, because only the operator waits for the response, and can interrupt the command. */
const responseTimeoutMs = 3_600_000;

/**
 * Creates the API of an in-process application that uses these stores with the operator's authority: the audit log
 * contains no actor. The application is loaded lazily, because loading it would dominate a command's startup time.
 */
export const createInProcessApi = async ({ useCases, documents, config, logger }: Portico): Promise<Api> => {
  const { createOperatorCalls } = await import('@portico/http');
  // The request is already visible on the command line.
  const quietLogger = logger.level === 'info' ? logger.child({}, { level: 'warn' }) : logger;
  // The limit for small bodies from the network does not apply either: a list of members may be long.
  const settings = { ...config, version, bodyLimitBytes: config.specBodyLimitBytes };
  const call = createOperatorCalls({
    useCases,
    documents,
    settings,
    logger: quietLogger,
    responseTimeoutMs,
  });
  return createApi({
    name: 'The application in this process',
    send: call,
    explain: ({ status, detail }) => (status >= 500 ? `${detail}: see the log line above` : detail),
  });
};
