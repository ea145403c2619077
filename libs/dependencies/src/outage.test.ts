import { recordLog } from '@portico/contracts';
import { expect, test } from 'vitest';
import { createOutage } from './outage.ts';

test('an outage is logged when it begins and when it ends, and repeats are logged at debug level', () => {
  const log = recordLog();
  const outage = createOutage(log, { recoveryMessage: 'It is available again', fields: { host: 'there' } });
  outage.end();
  for (let i = 0; i < 3; i += 1) outage.start({ message: 'It is unavailable', fields: { code: 'ECONNREFUSED' } });
  expect(outage.kind).toBe('unavailable');
  outage.end();
  outage.end();
  expect(outage.kind).toBeNull();
  const fields = { host: 'there', code: 'ECONNREFUSED' };
  expect(log.lines).toEqual([
    { level: 'warn', message: 'It is unavailable', fields },
    { level: 'debug', message: 'It is unavailable', fields },
    { level: 'debug', message: 'It is unavailable', fields },
    { level: 'info', message: 'It is available again', fields: { host: 'there', outageSeconds: 0 } },
  ]);
});

test('a reason of a different kind is logged again, and the recovery only once', () => {
  const log = recordLog();
  const outage = createOutage(log, { recoveryMessage: 'It is available again' });
  outage.start({ message: 'It fills', kind: 'filling', level: 'info' });
  outage.start({ message: 'It is unavailable' });
  outage.start({ message: 'It fails', kind: 'bug', level: 'error' });
  outage.end();
  expect(log.lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
    'info It fills',
    'warn It is unavailable',
    'error It fails',
    'info It is available again',
  ]);
});
