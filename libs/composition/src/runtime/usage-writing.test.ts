import { createUseCases, type Principal, type UsageStore } from '@portico/domain';
import { createRecordingStream, stopTime, createTemporaryFolder } from '@portico/test-servers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { localAdmin, readConfig } from '../config.ts';
import { compose, type Composition } from '../wiring/compose.ts';
import { startBackground } from './background.ts';
import { createLogger } from './logging.ts';

const neverMs = 86_400_000;
const intervals = {
  ...{
    relayMs: neverMs,
    pruneMs: neverMs,
    callsMs: neverMs,
    modelMs: neverMs,
    modelMaxMs: neverMs,
    heartbeatMs: neverMs,
  },
  usageMs: 20,
};

/** Opens the service on SQLite, with its admin and its log messages; `add` replaces the method of the store. */
const open = async (role: 'http' | 'worker' = 'http', add?: (store: UsageStore) => UsageStore['add']) => {
  const { stream, chunks: lines } = createRecordingStream();
  const messages = () => lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
  const config = readConfig({ DATA_DIR: createTemporaryFolder(onTestFinished), JOBS: 'off' });
  const composition = await compose(config, createLogger('warn', 'test', stream), role);
  onTestFinished(() => composition.close());
  const { usage } = composition.ports;
  const ports = { ...composition.ports, usage: { ...usage, ...(add ? { add: add(usage) } : {}) } };
  const portico: Composition = { ...composition, ports, useCases: createUseCases(ports, config.settings) };
  await portico.useCases.claimFirstAdmin({ ...localAdmin, issuer: config.settings.issuers[0] ?? '' });
  const token = (await portico.localIssuer?.mint({ ...localAdmin, ttlSeconds: 60 })) ?? '';
  const credential = { kind: 'token', token } as const;
  const request = { credential, auth: 'token', target: null, sender: { address: '::1' }, deadline: null } as const;
  const { principal } = await portico.useCases.admit(request);
  return { portico, principal, messages };
};

const allUsage = { by: 'day', profileId: null, collectionId: null, from: null, to: null } as const;

const countSearches = async ({ useCases }: Composition, principal: Principal): Promise<number> =>
  (await useCases.readUsage(principal, allUsage)).reduce((sum, { counts }) => sum + counts.search, 0);

test('usage counts are written while the service runs, and the rest when it stops', async () => {
  const { portico, principal, messages } = await open();
  const background = startBackground(portico, intervals);
  portico.useCases.countUse(principal, 'search', null);
  await expect.poll(() => countSearches(portico, principal)).toBe(1);
  await background.stop();
  expect(await countSearches(portico, principal)).toBe(1);

  const secondBackground = startBackground(portico, { ...intervals, usageMs: neverMs });
  portico.useCases.countUse(principal, 'search', null);
  await secondBackground.stop();
  expect(await countSearches(portico, principal)).toBe(2);
  expect(messages().filter((message) => message.includes('usage'))).toEqual([]);
});

test('a worker serves no requests, so it writes no counts', async () => {
  let writeCount = 0;
  const { portico, principal } = await open('worker', () => async () => void (writeCount += 1));
  const background = startBackground(portico, intervals);
  portico.useCases.countUse(principal, 'search', null);
  await background.stop();
  expect(writeCount).toBe(0);
});

test('counts that cannot be written are retained until they can be written, and this is logged once', async () => {
  let attempts = 0;
  const { portico, principal, messages } = await open('http', (store) => async (uses) => {
    attempts += 1;
    if (attempts <= 3) throw new Error('The database is unavailable');
    await store.add(uses);
  });
  const background = startBackground(portico, intervals);
  onTestFinished(() => background.stop());
  portico.useCases.countUse(principal, 'search', null);
  await expect.poll(() => countSearches(portico, principal)).toBe(1);
  expect(attempts).toBe(4);
  expect(messages().filter((message) => message.includes('usage'))).toEqual([
    'Writing the usage counts failed; retrying',
  ]);
});

test('an unresponsive database does not prevent the service from stopping, and the loss of counts is logged', async () => {
  const { portico, principal, messages } = await open('http', () => () => new Promise(() => undefined));
  const time = stopTime(vi);
  onTestFinished(time.restore);
  const background = startBackground(portico, { ...intervals, usageMs: neverMs });
  portico.useCases.countUse(principal, 'search', null);
  await time.advanceUntil(background.stop());
  expect(messages().at(-1)).toBe('The usage counts of the last seconds could not be written: they are lost');
});
