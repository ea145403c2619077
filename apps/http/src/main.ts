import { once } from 'node:events';
import {
  compose,
  createLogger,
  gracefulShutdown,
  readConfig,
  startBackground,
  startFailure,
  version,
} from '@portico/composition';
import { createHttpApp, createHttpServer } from './index.ts';

/** The service: configuration, composition, listening, and an orderly end. */
const main = async (): Promise<void> => {
  const config = readConfig(process.env);
  const logger = createLogger(config.logLevel, config.serviceName);
  logger.info({ version }, `Portico ${version} starts`);
  const whenEnding = gracefulShutdown(logger);
  for (const warning of config.warnings) logger.warn(warning);
  const portico = await compose(config, logger);
  const { useCases, documents, localIssuer, bodyStore } = portico;
  const settings = { ...config, version };
  const server = createHttpServer(
    createHttpApp({ useCases, documents, settings, logger, localIssuer, sharedBodies: bodyStore }),
  );
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

  whenEnding(async () => {
    await server.drain(config.production ? {} : { noticeMs: 0 });
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
