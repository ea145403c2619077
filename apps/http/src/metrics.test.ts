import { noUses } from '@portico/domain';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { observeState } from './metrics.ts';

test('concurrent scrapes share one read of the outbox', async () => {
  const registry = new Registry();
  let reads = 0;
  const useCases = {
    readOutboxState: async () => {
      reads += 1;
      return { waiting: 3, deadLetters: 1, oldestDueSeconds: 5 };
    },
    readReadiness: async () => ({ ready: true, parts: [] }),
    readModelChange: async () => null,
    getUsageTotals: () => noUses,
    measureRevisions: async () => ({ revisions: 3, packedBytes: 70 }),
    getCallTotals: () => null,
    getDeliveryTotals: () => ({ delivered: 2, failed: 1, gone: 0 }),
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

test('during a model change, collections are counted as done, waiting or given up; otherwise there are no counts', async () => {
  const registry = new Registry();
  const changes = [{ from: 'old', to: 'new', total: 9, done: 5, failed: 1 }, null];
  observeState(registry, {
    readOutboxState: async () => ({ waiting: 0, deadLetters: 0, oldestDueSeconds: 0 }),
    readReadiness: async () => ({ ready: true, parts: [] }),
    readModelChange: async () => changes.shift() ?? null,
    getUsageTotals: () => noUses,
    measureRevisions: async () => ({ revisions: 3, packedBytes: 70 }),
    getCallTotals: () => null,
    getDeliveryTotals: () => ({ delivered: 2, failed: 1, gone: 0 }),
  });
  expect((await registry.metrics()).match(/^model_change_.+$/gm)).toEqual([
    'model_change_collections{state="done"} 5',
    'model_change_collections{state="waiting"} 3',
    'model_change_collections{state="given_up"} 1',
  ]);
  expect((await registry.metrics()).match(/^model_change_.+$/gm)).toBeNull();
});

test('uses since the start are counted by kind', async () => {
  const registry = new Registry();
  observeState(registry, {
    readOutboxState: async () => ({ waiting: 0, deadLetters: 0, oldestDueSeconds: 0 }),
    readReadiness: async () => ({ ready: true, parts: [] }),
    readModelChange: async () => null,
    getUsageTotals: () => ({ ...noUses, read: 7, search: 5, call: 3, refused: 9 }),
    measureRevisions: async () => ({ revisions: 3, packedBytes: 70 }),
    getCallTotals: () => null,
    getDeliveryTotals: () => ({ delivered: 2, failed: 1, gone: 0 }),
  });
  for (let time = 1; time <= 2; time += 1) {
    expect((await registry.metrics()).match(/^# TYPE uses_total .+$|^uses_total.+$/gm)).toEqual([
      '# TYPE uses_total counter',
      'uses_total{kind="read"} 7',
      'uses_total{kind="search"} 5',
      'uses_total{kind="slice"} 0',
      'uses_total{kind="call"} 3',
      'uses_total{kind="credential_read"} 0',
    ]);
  }
});

test('revisions are counted, and omitted while the database is unavailable', async () => {
  const registry = new Registry();
  let isAvailable = true;
  observeState(registry, {
    readOutboxState: async () => ({ waiting: 0, deadLetters: 0, oldestDueSeconds: 0 }),
    readReadiness: async () => ({ ready: true, parts: [] }),
    readModelChange: async () => null,
    getUsageTotals: () => noUses,
    measureRevisions: () =>
      isAvailable ? Promise.resolve({ revisions: 3, packedBytes: 70 }) : Promise.reject(new Error('unavailable')),
    getCallTotals: () => null,
    getDeliveryTotals: () => ({ delivered: 2, failed: 1, gone: 0 }),
  });
  expect((await registry.metrics()).match(/^revisions.+$/gm)).toEqual(['revisions 3', 'revisions_bytes 70']);
  isAvailable = false;
  expect((await registry.metrics()).match(/^revisions.+$/gm)).toBeNull();
});

test('deliveries to webhooks since the start are counted by outcome', async () => {
  const registry = new Registry();
  observeState(registry, {
    readOutboxState: async () => ({ waiting: 0, deadLetters: 0, oldestDueSeconds: 0 }),
    readReadiness: async () => ({ ready: true, parts: [] }),
    readModelChange: async () => null,
    getUsageTotals: () => noUses,
    measureRevisions: async () => ({ revisions: 3, packedBytes: 70 }),
    getCallTotals: () => null,
    getDeliveryTotals: () => ({ delivered: 2, failed: 1, gone: 0 }),
  });
  for (let time = 1; time <= 2; time += 1) {
    expect((await registry.metrics()).match(/^webhook_.+$/gm)).toEqual([
      'webhook_deliveries_total{outcome="delivered"} 2',
      'webhook_deliveries_total{outcome="failed"} 1',
      'webhook_deliveries_total{outcome="gone"} 0',
    ]);
  }
});
