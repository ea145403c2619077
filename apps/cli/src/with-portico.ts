import { compose, createLogger, readConfig, type Config, type Portico } from '@portico/composition';
import { createSentences } from './sentences.ts';
import type { Terminal } from './terminal.ts';
import type { Tool } from './tool.ts';

/** Logs only warnings and errors, or from `usual` on, unless `LOG_LEVEL` says otherwise. */
export const toolLogger = (
  { environment, io }: Tool,
  { logLevel }: Config,
  usual: 'info' | 'warn' = 'warn',
): Portico['logger'] => {
  const { LOG_LEVEL: wanted } = environment;
  const level = wanted ? logLevel : usual;
  const withStacks = level === 'debug' || level === 'trace';
  return createLogger(
    level,
    'portico',
    createSentences((text) => void io.stderr.write(text), withStacks),
  );
};

/** Does the work on the stores, and closes them even if it fails. */
export const withPortico = async (
  tool: Tool,
  work: (portico: Portico, terminal: Terminal) => Promise<void>,
): Promise<void> => {
  const config = readConfig(tool.environment);
  const portico = await compose(config, toolLogger(tool, config), 'tool');
  try {
    await work(portico, tool.terminal());
  } finally {
    await portico.close();
  }
};
