import { expect, test } from 'vitest';
import { dayByTool } from '../src/admin-day/by-tool.ts';
import { doDay } from '../src/admin-day/day.ts';
import { createLedger, typedMax } from '../src/admin-day/ledger.ts';
import { dayOverHttp } from '../src/admin-day/over-http.ts';

const quietly = (): void => undefined;

test.each([
  ['over HTTP', dayOverHttp],
  ['with the tool', dayByTool],
])(
  "an administrator's whole day %s takes at most 15 calls or commands, and no id is copied",
  async (_way, createWay) => {
    expect(await doDay(createWay, quietly)).toBeLessThanOrEqual(typedMax);
  },
);

test('what would have an id copied, and the call after the last, are refused', () => {
  const ledger = createLedger(quietly);
  expect(() => ledger.typed('PUT /api/profiles/0b7e4c1a-5d0f-4b52-9a3e-2f0d5f6c7a81/tier')).toThrow('An id must be');
  for (let typed = ledger.count(); typed < typedMax; typed++) ledger.typed('portico who');
  expect(() => ledger.typed('portico who')).toThrow('more than 15');
});
