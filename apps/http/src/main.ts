import { once } from 'node:events';
import { compose, ConfigurationError, createLogger, readConfig, startBackground } from '@portico/composition';
import { createHttpApp, createHttpServer } from './index.ts';

/** The service: configuration, composition, listening, and an orderly end. */
const main = async (): Promise<void> => {
  const config = readConfig(process.env);
  const logger = createLogger(config.logLevel, config.serviceName);
  for (const warning of config.warnings) logger.warn(warning);
  const portico = await compose(config, logger);
  const { useCases, localIssuer } = portico;
  const server = createHttpServer(createHttpApp({ useCases, settings: config, logger, localIssuer }));
  server.listen(config.port, config.host);
  try {
    await once(server, 'listening');
  } catch (error) {
    await portico.close();
    throw error;
  }
  const background = startBackground(portico);
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : config.port;
  logger.info({ host: config.host, port, dataDir: config.dataDir }, `Listening on http://${config.host}:${port}`);

  let stopping = false;
  const stop = async (reason: string, exitCode: number): Promise<void> => {
    // A second signal does not wait for what is under way.
    if (stopping) process.exit(exitCode);
    stopping = true;
    logger.info({ reason }, 'Stopping: no new requests, what is under way is finished');
    await server.drain(config.production ? {} : { noticeMs: 0 });
    await background.stop();
    await portico.close();
    logger.info('Stopped');
    logger.flush();
    process.exit(exitCode);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal, 0));
  // A bug that nobody caught leaves an unknown state behind: it is logged, and the process ends in order.
  process.on('uncaughtException', (error) => {
    logger.fatal({ err: error }, 'An error was not caught');
    void stop('uncaughtException', 1);
  });
};

try {
  await main();
} catch (error) {
  // What an operator can mend is said without a stack.
  const said = error instanceof ConfigurationError || isListenError(error) ? error.message : error;
  process.stderr.write(`${said instanceof Error ? (said.stack ?? said.message) : String(said)}\n`);
  process.exit(1);
}

function isListenError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && error.syscall === 'listen';
}
