import type { Logger } from 'pino';
import { readConfig } from '../config.ts';
import { dutiesOf, type ProcessRole } from '../process-role.ts';
import { openTracing, type Tracing } from '../tracing/tracing.ts';
import { version } from '../version.ts';
import { compose, type Portico } from '../wiring/compose.ts';
import { listExposedPathWarnings } from '../wiring/exposed-paths.ts';
import { enableGracefulShutdown } from './graceful-shutdown.ts';
import { createLogger } from './logging.ts';
import { toStartFailure } from './start-failure.ts';

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
    const getTraceFields = () => {
      const id = tracing?.getTraceId();
      return id ? { trace_id: id } : {};
    };
    logger = createLogger(config.logLevel, name, undefined, config.traces ? getTraceFields : undefined);
    logger.info({ version }, `Portico ${version} starts`);
    const onShutdown = enableGracefulShutdown(logger);
    for (const warning of [...dutiesOf(role, config).warnings, ...listExposedPathWarnings(config)])
      logger.warn(warning);
    tracing = await openTracing(config, name, logger);
    const portico = await compose(config, logger, role, tracing);
    const service = await start(portico).catch(async (error: unknown) => {
      await portico.close();
      throw error;
    });
    onShutdown(async () => {
      await service.stop();
      await portico.close();
      await portico.tracing?.close();
    });
  } catch (error) {
    const { message, exitCode } = toStartFailure(error);
    // The log gets the reason for its collectors, and standard error gets it for an operator at a terminal.
    logger ??= createLogger('info', 'portico');
    logger.fatal(message);
    process.stderr.write(`${message}\n`);
    process.exit(exitCode);
  }
};
