import type { Logger } from 'pino';

/**
 * After this time, unfinished work is abandoned: a container is killed 30 s after its stop signal (docker-compose.yml).
 */
const shutdownTimeoutMs = 25_000;
/**
 * npm forwards a signal that a terminal or a supervisor has already sent to the whole process group: both count as one.
 */
const duplicateSignalMs = 1_000;

/**
 * Shuts this process down gracefully on SIGTERM, on SIGINT and after an uncaught error. Returns a function that sets
 * how to finish the work in progress; until it is called, there is nothing to finish. The exit code is 1 after an
 * error or if the shutdown takes longer than `timeoutMs`, otherwise 0.
 */
export const enableGracefulShutdown = (
  logger: Logger,
  timeoutMs = shutdownTimeoutMs,
): ((finish: () => Promise<void>) => void) => {
  let finish: () => Promise<void> = async () => undefined;
  let isStopping = false;
  let signalledAt = Number.NEGATIVE_INFINITY;
  let exitCode = 0;
  const shutDown = async (reason: string): Promise<void> => {
    isStopping = true;
    logger.info({ reason }, 'Stopping: accepting no new work, finishing work in progress');
    setTimeout(() => {
      logger.error(`Stopping took longer than ${timeoutMs} ms; exiting with work unfinished`);
      process.exit(1);
    }, timeoutMs);
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
      if (performance.now() - signalledAt < duplicateSignalMs) return;
      signalledAt = performance.now();
      // A second signal does not wait for work in progress.
      if (isStopping) process.exit(exitCode);
      void shutDown(signal);
    });
  }
  // An uncaught error, including a rejection, leaves an unknown state. During the shutdown, it does not abort anything.
  process.on('uncaughtException', (error) => {
    logger.fatal({ err: error }, 'Uncaught error; stopping');
    exitCode = 1;
    if (!isStopping) void shutDown('uncaughtException');
  });
  return (work) => {
    finish = work;
  };
};
