import { createUseCases, type Principal, type UsageStore } from '@portico/domain';
import { recordingStream, stopTime, temporaryFolder } from '@portico/test-servers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { localAdmin, readConfig } from '../config.ts';
import { compose, type Composition } from '../wiring/compose.ts';
import { startBackground } from './background.ts';
import { createLogger } from './logging.ts';

const never = 86_400_000;
const intervals = {
  ...{ relayMs: never, pruneMs: never, modelMs: never, modelMaxMs: never, heartbeatMs: never },
  usageMs: 20,
};

/** The service on SQLite, with its admin and what it has logged; `add` replaces the store's. */
const open = async (role: 'http' | 'worker' = 'http', add?: (right: UsageStore) => UsageStore['add']) => {
  const { stream, written } = recordingStream();
  const said = () => written.map((line) => (JSON.parse(line) as { msg: string }).msg);
  const config = readConfig({ DATA_DIR: temporaryFolder(onTestFinished), JOBS: 'off' });
  const composed = await compose(config, createLogger('warn', 'test', stream), role);
  onTestFinished(() => composed.close());
  const { usage } = composed.ports;
  const ports = { ...composed.ports, usage: { ...usage, ...(add ? { add: add(usage) } : {}) } };
  const portico: Composition = { ...composed, ports, useCases: createUseCases(ports, config.settings) };
  await portico.useCases.claimFirstAdmin({ ...localAdmin, issuer: config.settings.issuers[0] ?? '' });
  const token = (await portico.localIssuer?.mint({ ...localAdmin, ttlSeconds: 60 })) ?? '';
  const credential = { kind: 'token', token } as const;
  const request = { credential, auth: 'token', target: null, sender: { address: '::1' }, deadline: null } as const;
  const { principal } = await portico.useCases.admit(request);
  return { portico, principal, said };
};

const everything = { by: 'day', profileId: null, collectionId: null, from: null, to: null } as const;

const searches = async ({ useCases }: Composition, principal: Principal): Promise<number> =>
  (await useCases.readUsage(principal, everything)).reduce((sum, { counts }) => sum + counts.search, 0);

test('what is counted is written while the service runs, and the rest when it stops', async () => {
  const { portico, principal, said } = await open();
  const background = startBackground(portico, intervals);
  portico.useCases.countUse(principal, 'search', null);
  await expect.poll(() => searches(portico, principal)).toBe(1);
  await background.stop();
  expect(await searches(portico, principal)).toBe(1);

  const later = startBackground(portico, { ...intervals, usageMs: never });
  portico.useCases.countUse(principal, 'search', null);
  await later.stop();
  expect(await searches(portico, principal)).toBe(2);
  expect(said().filter((message) => message.includes('usage'))).toEqual([]);
});

test('a worker answers no requests, and writes no counts', async () => {
  let writes = 0;
  const { portico, principal } = await open('worker', () => async () => void (writes += 1));
  const background = startBackground(portico, intervals);
  portico.useCases.countUse(principal, 'search', null);
  await background.stop();
  expect(writes).toBe(0);
});

test('counts that cannot be written are kept until they can be, and the log says so once', async () => {
  let tries = 0;
  const { portico, principal, said } = await open('http', (right) => async (uses) => {
    tries += 1;
    if (tries <= 3) throw new Error('The database is away');
    await right.add(uses);
  });
  const background = startBackground(portico, intervals);
  onTestFinished(() => background.stop());
  portico.useCases.countUse(principal, 'search', null);
  await expect.poll(() => searches(portico, principal)).toBe(1);
  expect(tries).toBe(4);
  expect(said().filter((message) => message.includes('usage'))).toEqual(['Writing the usage counts failed; retrying']);
});

test('a database that does not answer at the end does not keep the service from stopping, and the log says what is lost', async () => {
  const { portico, principal, said } = await open('http', () => () => new Promise(() => undefined));
  const time = stopTime(vi);
  onTestFinished(time.goOn);
  const background = startBackground(portico, { ...intervals, usageMs: never });
  portico.useCases.countUse(principal, 'search', null);
  await time.passUntil(background.stop());
  expect(said().at(-1)).toBe('The usage counts of the last seconds could not be written: they are lost');
});
