import {
  compose,
  createLogger,
  gracefulShutdown,
  readConfig,
  startBackground,
  startFailure,
  version,
} from '@portico/composition';

/** The job process: works what an HTTP process with `JOBS=off` leaves in the outbox. */
const main = async (): Promise<void> => {
  const config = { ...readConfig(process.env), jobs: 'inline' as const, answersRequests: false };
  const logger = createLogger(config.logLevel, `${config.serviceName}-worker`);
  logger.info({ version }, `Portico ${version} starts`);
  const whenEnding = gracefulShutdown(logger);
  for (const warning of config.jobWarnings) logger.warn(warning);
  const portico = await compose(config, logger);
  const background = startBackground(portico);
  logger.info('The worker is ready');
  whenEnding(async () => {
    await background.stop();
    await portico.close();
  });
};

try {
  await main();
} catch (error) {
  const { said, exitCode } = startFailure(error);
  process.stderr.write(`${said}\n`);
  process.exit(exitCode);
}
