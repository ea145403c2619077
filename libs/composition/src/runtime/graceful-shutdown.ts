import type { Logger } from 'pino';

/** Then unfinished work is abandoned: a container is killed 30 s after its stop signal (docker-compose.yml). */
const endingMs = 25_000;
/** npm passes on the signal that a terminal or a supervisor has sent to the whole group: both are one. */
const sameSignalMs = 1_000;

/**
 * Shuts this process down in order on SIGTERM, on SIGINT and after an uncaught error. Returns a function that sets what
 * to finish first; until it is called there is nothing to finish. The exit code is 1 after an error or if the shutdown
 * takes longer than `patienceMs`, else 0.
 */
export const gracefulShutdown = (logger: Logger, patienceMs = endingMs): ((finish: () => Promise<void>) => void) => {
  let finish: () => Promise<void> = async () => undefined;
  let isEnding = false;
  let signalledAt = Number.NEGATIVE_INFINITY;
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
    process.exit(exitCode);
  };
  // As PID 1 of a container, the process would ignore every signal without a handler.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (performance.now() - signalledAt < sameSignalMs) return;
      signalledAt = performance.now();
      // A second signal does not wait for work under way.
      if (isEnding) process.exit(exitCode);
      void end(signal);
    });
  }
  // An uncaught error, rejections included, leaves an unknown state. During the shutdown it does not cut anything
  // short.
  process.on('uncaughtException', (error) => {
    logger.fatal({ err: error }, 'Uncaught error; stopping');
    exitCode = 1;
    if (!isEnding) void end('uncaughtException');
  });
  return (work) => {
    finish = work;
  };
};
