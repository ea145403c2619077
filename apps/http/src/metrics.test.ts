import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { observeState } from './metrics.ts';

test('concurrent collections of the metrics read the outbox once', async () => {
  const registry = new Registry();
  let reads = 0;
  const useCases = {
    readOutboxState: async () => {
      reads += 1;
      return { waiting: 3, deadLetters: 1, oldestDueSeconds: 5 };
    },
    readReadiness: async () => ({ ready: true, parts: [] }),
  };
  observeState(registry, useCases);
  for (const text of await Promise.all([registry.metrics(), registry.metrics()])) {
    expect(text.match(/^outbox_.+$/gm)).toEqual([
      'outbox_jobs{state="waiting"} 3',
      'outbox_jobs{state="given_up"} 1',
      'outbox_oldest_due_seconds 5',
    ]);
  }
  expect(reads).toBe(1);
});
