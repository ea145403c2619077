const signals = ['SIGINT', 'SIGTERM'] as const;

/**
 * Runs `work`, then `finish`, which also runs if an error or a signal interrupts `work`. The signal then ends the
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
