import { expect, test } from 'vitest';
import { readConfig } from './config.ts';
import { dutiesOf, type ProcessRole } from './process-role.ts';

const off = readConfig({ SMTP_URL: 'smtp://mail', JOBS: 'off' });

test.each<[ProcessRole, object]>([
  ['http', { servesRequests: true, runsJobs: false, prunesAudit: true, writesHeartbeat: true }],
  ['worker', { servesRequests: false, runsJobs: true, prunesAudit: true, writesHeartbeat: true }],
  ['tool', { servesRequests: false, runsJobs: false, prunesAudit: false, writesHeartbeat: false }],
])('with JOBS=off a process of the role %s has its own duties', (role, duties) => {
  expect(dutiesOf(role, off)).toMatchObject(duties);
  expect(dutiesOf(role, readConfig({})).runsJobs).toBe(true);
});

test('a worker warns only about jobs, and a tool about nothing', () => {
  expect(dutiesOf('http', off).warnings).toEqual(off.warnings);
  expect(dutiesOf('worker', off).warnings).toEqual([expect.stringContaining('MAIL_FROM')]);
  expect(dutiesOf('tool', off).warnings).toEqual([]);
});
