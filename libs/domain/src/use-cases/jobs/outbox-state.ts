import type { Ports } from '../../ports/index.ts';

/** How many jobs wait or are dead letters, and for how long the longest due one has been waiting (0 where none is due). */
export const readOutboxState =
  ({ outbox, clock }: Pick<Ports, 'outbox' | 'clock'>) =>
  async (): Promise<{ readonly waiting: number; readonly deadLetters: number; readonly oldestDueSeconds: number }> => {
    const now = clock.now();
    const { waiting, deadLetters, oldestDueAt } = await outbox.state(now);
    return {
      waiting,
      deadLetters,
      oldestDueSeconds: oldestDueAt === null ? 0 : Math.max(0, now - oldestDueAt) / 1_000,
    };
  };
