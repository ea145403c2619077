import type { Logger } from 'pino';
import { flush } from './logging.ts';

/** What is under way then is left: a container is killed 30 s after it was asked to end (docker-compose.yml). */
const endingMs = 25_000;

/**
 * Ends this process in order at SIGTERM and SIGINT, and after an error that nobody caught. Returns how to say what has to be
 * finished first; until that is said there is nothing to finish. The exit code is 1 after an error, and where it takes longer
 * than `patienceMs`, else 0.
 */
export const gracefulShutdown = (logger: Logger, patienceMs = endingMs): ((finish: () => Promise<void>) => void) => {
  let finish: () => Promise<void> = async () => undefined;
  let isEnding = false;
  let exitCode = 0;
  const end = async (reason: string): Promise<void> => {
    isEnding = true;
    logger.info({ reason }, 'Stopping: taking no new work, finishing what is under way');
    setTimeout(() => {
      logger.error(`Stopping took longer than ${patienceMs} ms; exiting with work unfinished`);
      process.exit(1);
    }, patienceMs);
    try {
      await finish();
      logger.info('Stopped');
    } catch (error) {
      logger.error({ err: error }, 'Stopping failed');
      exitCode = 1;
    }
    await flush(logger);
    process.exit(exitCode);
  };
  // As process 1 of a container it would outlive every signal that it does not listen to.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      // A second signal does not wait for what is under way.
      if (isEnding) process.exit(exitCode);
      void end(signal);
    });
  }
  // A bug that nobody caught, in a promise too, leaves an unknown state behind; while the process ends, it cuts nothing off.
  process.on('uncaughtException', (error) => {
    logger.fatal({ err: error }, 'Uncaught error; stopping');
    exitCode = 1;
    if (!isEnding) void end('uncaughtException');
  });
  return (work) => {
    finish = work;
  };
};
