import { settlesWithin } from '@portico/dependencies';
import type { Logger } from 'pino';

export type Closer = () => Promise<void> | void;

const closeTimeoutMs = 8_000;

/**
 * Closes in reverse order of opening. Logs and skips failures, and abandons closers that are still running after the
 * timeout.
 */
export const closeAll = async (closers: Closer[], logger: Logger): Promise<void> => {
  const closeEach = async () => {
    for (let closer = closers.pop(); closer; closer = closers.pop()) {
      try {
        await closer();
      } catch (error) {
        logger.error({ err: error }, 'A part could not be closed; closing the others');
      }
    }
  };
  if (!(await settlesWithin(closeTimeoutMs, closeEach())))
    logger.error(
      { closeDeadlineMs: closeTimeoutMs },
      'Closing took too long; abandoning the parts that are still open',
    );
};
