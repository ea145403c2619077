import { compose, createLogger, readConfig, type Config, type Environment, type Portico } from '@portico/composition';
import { createSentences } from './sentences.ts';

/** Logs only warnings and errors, unless `LOG_LEVEL` says otherwise. */
export const toolLogger = ({ LOG_LEVEL: wanted }: Environment, { logLevel }: Config): Portico['logger'] => {
  const level = wanted ? logLevel : 'warn';
  const withStacks = level === 'debug' || level === 'trace';
  return createLogger(
    level,
    'portico',
    createSentences((text) => void process.stderr.write(text), withStacks),
  );
};

/** Does the work on the stores, and closes them even if it fails. */
export const withPortico = async (
  environment: Environment,
  work: (portico: Portico) => Promise<void>,
): Promise<void> => {
  const config = readConfig(environment);
  const portico = await compose(config, toolLogger(environment, config), 'tool');
  try {
    await work(portico);
  } finally {
    await portico.close();
  }
};
