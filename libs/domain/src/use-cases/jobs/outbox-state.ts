import type { Ports } from '../../ports/index.ts';

/** How many jobs wait or were given up, and for how long the longest due one has been waiting (0 where none is due). */
export const readOutboxState =
  ({ outbox, clock }: Pick<Ports, 'outbox' | 'clock'>) =>
  async (): Promise<{ readonly waiting: number; readonly givenUp: number; readonly oldestDueSeconds: number }> => {
    const now = clock.now();
    const { waiting, givenUp, oldestDueAt } = await outbox.state(now);
    return { waiting, givenUp, oldestDueSeconds: oldestDueAt === null ? 0 : Math.max(0, now - oldestDueAt) / 1_000 };
  };
