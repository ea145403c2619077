const signals = ['SIGINT', 'SIGTERM'] as const;

/**
 * Does the work, then finishes; also finishes if an error or a signal interrupts the work. The signal then ends the
 * process as usual.
 */
export const runAndFinish = async (work: () => Promise<void>, finish: () => void): Promise<void> => {
  const onSignal = (signal: NodeJS.Signals): void => {
    finish();
    unsubscribe();
    process.kill(process.pid, signal);
  };
  const unsubscribe = (): void => signals.forEach((signal) => process.off(signal, onSignal));
  for (const signal of signals) process.on(signal, onSignal);
  try {
    await work();
  } catch (error) {
    finish();
    throw error;
  } finally {
    unsubscribe();
  }
  finish();
};
