import { settlesWithin } from '@portico/dependencies';
import type { Logger } from 'pino';

export type Closer = () => Promise<void> | void;

const closeDeadlineMs = 8_000;

/** In the reverse order of opening; what fails to close is logged and stops nothing, what hangs is left at the deadline. */
export const closeAll = async (closers: Closer[], logger: Logger): Promise<void> => {
  const all = async () => {
    for (let closer = closers.pop(); closer; closer = closers.pop()) {
      try {
        await closer();
      } catch (error) {
        logger.error({ err: error }, 'A part could not be closed');
      }
    }
  };
  if (!(await settlesWithin(closeDeadlineMs, all())))
    logger.error({ closeDeadlineMs }, 'Closing took too long; what is left is dropped');
};
