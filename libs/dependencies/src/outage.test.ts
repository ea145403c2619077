import { recordLog } from '@portico/contracts';
import { expect, test } from 'vitest';
import { createOutage } from './outage.ts';

test('an outage is logged once when it begins, once when it ends, and at debug in between', () => {
  const log = recordLog();
  const outage = createOutage(log, { back: 'It is back', fields: { host: 'there' } });
  outage.end();
  for (let i = 0; i < 3; i += 1) outage.begin({ message: 'It is away', fields: { code: 'ECONNREFUSED' } });
  expect(outage.kind).toBe('away');
  outage.end();
  outage.end();
  expect(outage.kind).toBeNull();
  const fields = { host: 'there', code: 'ECONNREFUSED' };
  expect(log.lines).toEqual([
    { level: 'warn', message: 'It is away', fields },
    { level: 'debug', message: 'It is away', fields },
    { level: 'debug', message: 'It is away', fields },
    { level: 'info', message: 'It is back', fields: { host: 'there', awaySeconds: 0 } },
  ]);
});

test('a reason of another kind is logged again, the end only once', () => {
  const log = recordLog();
  const outage = createOutage(log, { back: 'It is back' });
  outage.begin({ message: 'It fills', kind: 'filling', level: 'info' });
  outage.begin({ message: 'It is away' });
  outage.begin({ message: 'It fails', kind: 'bug', level: 'error' });
  outage.end();
  expect(log.lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
    'info It fills',
    'warn It is away',
    'error It fails',
    'info It is back',
  ]);
});
