const signals = ['SIGINT', 'SIGTERM'] as const;

/**
 * Does the work and then tells of it; if an error or a signal ends the work, tells what was done so far first. The
 * signal then ends the process, as it would have.
 */
export const toldHowever = async (work: () => Promise<void>, tell: () => void): Promise<void> => {
  const interrupted = (signal: NodeJS.Signals): void => {
    tell();
    leave();
    process.kill(process.pid, signal);
  };
  const leave = (): void => signals.forEach((signal) => process.off(signal, interrupted));
  for (const signal of signals) process.on(signal, interrupted);
  try {
    await work();
  } catch (error) {
    tell();
    throw error;
  } finally {
    leave();
  }
  tell();
};
