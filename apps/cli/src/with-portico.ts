import { compose, createLogger, readConfig, type Config, type Portico } from '@portico/composition';
import { createSentenceStream } from './sentence-stream.ts';
import type { Terminal } from './terminal.ts';
import type { Tool } from './tool.ts';

/** Creates a logger for warnings and errors only, or for `defaultLevel` and above, unless `LOG_LEVEL` is set. */
export const createToolLogger = (
  { environment, io }: Tool,
  { logLevel }: Config,
  defaultLevel: 'info' | 'warn' = 'warn',
): Portico['logger'] => {
  const { LOG_LEVEL: requestedLevel } = environment;
  const level = requestedLevel ? logLevel : defaultLevel;
  const showsStacks = level === 'debug' || level === 'trace';
  return createLogger(
    level,
    'portico',
    createSentenceStream((text) => void io.stderr.write(text), showsStacks),
  );
};

/** Opens the stores, runs `work`, and closes the stores even if the work fails. */
export const withPortico = async (
  tool: Tool,
  work: (portico: Portico, terminal: Terminal) => Promise<void>,
): Promise<void> => {
  const config = readConfig(tool.environment);
  const portico = await compose(config, createToolLogger(tool, config), 'tool');
  try {
    await work(portico, tool.getTerminal());
  } finally {
    await portico.close();
  }
};
