import { version, type Portico } from '@portico/composition';
import { createApi, type Api } from './api.ts';

/** No caller waits for an answer but the operator, who can end it. */
const answerTimeoutMs = 3_600_000;

/**
 * The API of an application in this process, on these stores and on the operator's authority: the audit log names no
 * actor. The application is loaded only here, since most of a command's start would be that.
 */
export const apiInProcess = async ({ useCases, documents, config, logger }: Portico): Promise<Api> => {
  const { createOperatorCalls } = await import('@portico/http');
  // What was asked for is on the command line already.
  const quiet = logger.level === 'info' ? logger.child({}, { level: 'warn' }) : logger;
  // Nor does the limit of a network's small bodies apply: a list of members may be long.
  const settings = { ...config, version, bodyLimitBytes: config.specBodyLimitBytes };
  const call = createOperatorCalls({ useCases, documents, settings, logger: quiet, answerTimeoutMs });
  return createApi({
    name: 'The application in this process',
    send: call,
    explain: ({ status, detail }) => (status >= 500 ? `${detail}: the line above says why` : detail),
  });
};
