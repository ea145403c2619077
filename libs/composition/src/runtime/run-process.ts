import type { Logger } from 'pino';
import { readConfig } from '../config.ts';
import { dutiesOf, type ProcessRole } from '../process-role.ts';
import { openTracing, type Tracing } from '../tracing/tracing.ts';
import { version } from '../version.ts';
import { compose, type Portico } from '../wiring/compose.ts';
import { openPathWarnings } from '../wiring/open-paths.ts';
import { gracefulShutdown } from './graceful-shutdown.ts';
import { createLogger } from './logging.ts';
import { startFailure } from './start-failure.ts';

/**
 * Runs a process of this role, configured by the environment, and shuts it down gracefully. If startup fails, logs the
 * reason, also writes it to standard error, and exits.
 */
export const runProcess = async (
  role: Exclude<ProcessRole, 'tool'>,
  start: (portico: Portico) => Promise<{ stop(): Promise<void> }>,
): Promise<void> => {
  let logger: Logger | null = null;
  try {
    const config = readConfig(process.env);
    const name = role === 'http' ? config.serviceName : `${config.serviceName}-${role}`;
    let tracing: Tracing | null = null;
    const traceFields = () => {
      const id = tracing?.traceId();
      return id ? { trace_id: id } : {};
    };
    logger = createLogger(config.logLevel, name, undefined, config.traces ? traceFields : undefined);
    logger.info({ version }, `Portico ${version} starts`);
    const onShutdown = gracefulShutdown(logger);
    for (const warning of [...dutiesOf(role, config).warnings, ...openPathWarnings(config)]) logger.warn(warning);
    tracing = await openTracing(config, name, logger);
    const portico = await compose(config, logger, role, tracing);
    const running = await start(portico).catch(async (error: unknown) => {
      await portico.close();
      throw error;
    });
    onShutdown(async () => {
      await running.stop();
      await portico.close();
      await portico.tracing?.close();
    });
  } catch (error) {
    const { message, exitCode } = startFailure(error);
    // The log gets the reason for its collectors, and standard error gets it for an operator at a terminal.
    logger ??= createLogger('info', 'portico');
    logger.fatal(message);
    process.stderr.write(`${message}\n`);
    process.exit(exitCode);
  }
};
