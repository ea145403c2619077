import { compose, ConfigurationError, createLogger, readConfig, startBackground } from '@portico/composition';

/** The job process: works what an HTTP process with `JOBS=off` leaves in the outbox. */
const main = async (): Promise<void> => {
  const config = { ...readConfig(process.env), jobs: 'inline' as const };
  const logger = createLogger(config.logLevel, `${config.serviceName}-worker`);
  const portico = await compose(config, logger);
  const background = startBackground(portico);
  logger.info('The worker is ready');
  const stop = async (signal: string) => {
    logger.info({ signal }, 'The worker stops');
    await background.stop();
    await portico.close();
  };
  process.once('SIGTERM', (signal) => void stop(signal));
  process.once('SIGINT', (signal) => void stop(signal));
};

try {
  await main();
} catch (error) {
  if (!(error instanceof ConfigurationError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
