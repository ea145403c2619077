import { settlesWithin } from '@portico/dependencies';
import type { Logger } from 'pino';

export type Closer = () => Promise<void> | void;

const closeDeadlineMs = 8_000;

/** Closes in reverse order of opening; logs and skips what fails to close, abandons what hangs at the deadline. */
export const closeAll = async (closers: Closer[], logger: Logger): Promise<void> => {
  const all = async () => {
    for (let closer = closers.pop(); closer; closer = closers.pop()) {
      try {
        await closer();
      } catch (error) {
        logger.error({ err: error }, 'A part could not be closed; closing the others');
      }
    }
  };
  if (!(await settlesWithin(closeDeadlineMs, all())))
    logger.error({ closeDeadlineMs }, 'Closing took too long; abandoning what is still open');
};
