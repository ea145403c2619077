import { expect, test } from 'vitest';
import { readConfig } from './config.ts';
import { dutiesOf, type ProcessRole } from './process-role.ts';

const configWithoutJobs = readConfig({ SMTP_URL: 'smtp://mail', JOBS: 'off' });

test.each<[ProcessRole, object]>([
  ['http', { servesRequests: true, runsJobs: false, prunesAudit: true, writesHeartbeat: true }],
  ['worker', { servesRequests: false, runsJobs: true, prunesAudit: true, writesHeartbeat: true }],
  ['tool', { servesRequests: false, runsJobs: false, prunesAudit: false, writesHeartbeat: false }],
])('with JOBS=off, the role %s determines the duties of a process', (role, duties) => {
  expect(dutiesOf(role, configWithoutJobs)).toMatchObject(duties);
  expect(dutiesOf(role, readConfig({})).runsJobs).toBe(true);
});

test('a worker warns only about jobs, and a tool about nothing', () => {
  expect(dutiesOf('http', configWithoutJobs).warnings).toEqual(configWithoutJobs.warnings);
  expect(dutiesOf('worker', configWithoutJobs).warnings).toEqual([expect.stringContaining('MAIL_FROM')]);
  expect(dutiesOf('tool', configWithoutJobs).warnings).toEqual([]);
});
