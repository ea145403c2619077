import {
  nomicStandIn,
  startFaultProxy,
  startOllamaStandIn,
  type FaultMode,
  type OllamaFault,
} from '@portico/test-servers';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { askEverything, openStage, untilStateIs, type Stage } from './stage.ts';
import {
  askedAnew,
  away,
  createCollection,
  failures,
  prepareSenders,
  present,
  trafficVariables,
  type Senders,
} from './traffic.ts';

const password = 'password-of-ollama-that-nobody-may-read';
const ollama = await startOllamaStandIn();
const proxy = await startFaultProxy({ host: '127.0.0.1', port: ollama.control.port });
afterAll(async () => {
  await proxy.close();
  await ollama.close();
});

/** A fault of Ollama, how it begins and how it ends. */
interface Outage {
  readonly name: string;
  readonly begin: () => Promise<void> | void;
  readonly end: () => Promise<void> | void;
}

const onTheWay = (name: string, mode: FaultMode): Outage => ({
  name,
  begin: () => proxy.set(mode),
  end: () => proxy.set('pass'),
});

const ofAnswers = (name: string, fault: OllamaFault): Outage => ({
  name,
  begin: () => ollama.setFault(fault),
  end: () => ollama.setFault(null),
});

const outages: readonly Outage[] = [
  onTheWay('is down', 'down'),
  onTheWay('hangs', 'hang'),
  onTheWay('resets every connection', 'reset'),
  onTheWay('answers garbage', 'garbage'),
  {
    name: 'is stopped and started again',
    begin: () => ollama.control.stop(),
    end: () => ollama.control.start(),
  },
  ofAnswers('answers vectors of 767 numbers', 'shortVector'),
  ofAnswers('answers vectors without a direction', 'zero'),
];

const searchFailed = { operation: 'search', status: 500, detail: 'Embedding service unavailable' } as const;

interface Result {
  readonly collection_id: string;
  readonly collection_name: string;
  readonly similarity_score: number;
}

const open = async (): Promise<{ readonly stage: Stage; readonly senders: Senders }> => {
  onTestFinished(() => proxy.set('pass'));
  const stage = openStage({ ...trafficVariables, OLLAMA_URL: proxy.through(`http://portico:${password}@127.0.0.1`) });
  await stage.start();
  return { stage, senders: await prepareSenders(stage.api, await stage.mint(), stage.mint) };
};

const search = ({ api, time }: Stage, { admin }: Senders, query: string) =>
  time.passUntil(api.call(admin, 'POST', '/api/vector/search', { query, k_limit: 100 }));

/** What the admin finds by a query not remembered; null while the answer is that the embedding service is away. */
const find = async (stage: Stage, senders: Senders, query: string): Promise<readonly Result[] | null> => {
  const { status, body } = await search(stage, senders, askedAnew(query));
  if (status === 200) return body as readonly Result[];
  expect([status, body]).toEqual([500, { detail: searchFailed.detail }]);
  return null;
};

/** Waits until these are found, all with the same score. */
const untilFound = (stage: Stage, senders: Senders, query: string, ids: readonly string[]): Promise<void> =>
  stage.time.passUntilSucceeds(async () => {
    const found = (await find(stage, senders, query)) ?? [];
    const scores = ids.map((id) => found.find((each) => each.collection_id === id)?.similarity_score ?? 0);
    expect(Math.min(...scores)).toBeGreaterThan(0);
    expect(new Set(scores).size).toBe(1);
  });

const health = async ({ api, time }: Stage) => {
  const { status, body } = await time.passUntil(api.call(null, 'GET', '/api/vector/health'));
  return { status, body };
};

const expectNoSecretInLog = ({ log }: Stage, { client }: Senders) => {
  for (const secret of [password, Buffer.from(`portico:${password}`).toString('base64'), client.key.secret])
    expect(log().text).not.toContain(secret);
};

test('Ollama (stand-in) away when the service starts does not delay it: collections can be created, and are found once it is back', async () => {
  await proxy.set('down');
  const { stage, senders } = await open();
  expect(await find(stage, senders, 'weather forecast')).toBeNull();
  await untilStateIs(stage, 'embedder', away);
  expect(await health(stage)).toMatchObject({
    status: 503,
    body: { status: 'unavailable', embedder: { status: 'unavailable' }, index: { status: 'healthy' } },
  });
  await proxy.set('pass');
  await untilFound(stage, senders, 'weather forecast', [senders.collection]);
  await untilStateIs(stage, 'embedder', present);
  expect((await health(stage)).status).toBe(200);
  expect(stage.warnings().some((message) => message.startsWith('Ollama does not embed'))).toBe(true);
  expectNoSecretInLog(stage, senders);
});

test.each(outages)(
  'Ollama (stand-in) that $name fails only searches not asked before; collections created and changed meanwhile are found by their new texts',
  async ({ name, begin, end }) => {
    const { stage, senders } = await open();
    const { api, time } = stage;
    const { admin } = senders;
    const text = { name: `Tides while Ollama ${name}`, description: 'High and low water at every harbour' };
    const changed = await createCollection(api, admin, `Changed while Ollama ${name}`, 'Nothing of the sea');
    await untilFound(stage, senders, text.name, [changed]);
    expect((await search(stage, senders, text.name)).status).toBe(200);
    onTestFinished(end);
    await begin();
    // No time passes for the other requests while a search waits.
    const waiting = api.call(admin, 'POST', '/api/vector/search', { query: askedAnew(text.name) });
    const made = await createCollection(api, admin, text.name, text.description);
    await api.ask(admin, 'PUT', `/api/collections/${changed}`, text);
    expect((await api.call(senders.client.key, 'GET', `/api/collections/${senders.collection}`)).status).toBe(200);
    expect((await time.passUntil(waiting)).status).toBe(500);
    expect((await search(stage, senders, text.name)).status).toBe(200);
    expect(failures(await time.passUntil(askEverything(stage, senders)), [searchFailed])).toEqual({});
    expect(await find(stage, senders, text.name)).toBeNull();
    await untilStateIs(stage, 'embedder', away);
    expect(await health(stage)).toMatchObject({
      status: 503,
      body: { embedder: { status: 'unavailable', model: null }, index: { status: 'healthy' } },
    });

    await end();
    await time.passUntilSucceeds(async () => expect(await find(stage, senders, text.name)).not.toBeNull());
    // An embedding made from a bad answer would score differently.
    const twin = await createCollection(api, admin, text.name, text.description);
    await untilFound(stage, senders, text.name, [made, changed, twin]);
    await untilStateIs(stage, 'embedder', present);
    expect((await health(stage)).status).toBe(200);
    expectNoSecretInLog(stage, senders);
  },
);

test('Ollama (stand-in) whose model has changed causes re-embedding, and no vectors of different models are compared', async () => {
  const { stage, senders } = await open();
  const { api, time } = stage;
  const { admin, client } = senders;
  const topics = ['Snow', 'Wind', 'Sun', 'Fog'];
  for (const topic of topics) {
    const id = await createCollection(api, admin, topic, `${topic} and rain in a city`);
    await api.ask(admin, 'POST', `/api/access/clients/${client.id}/collections/${id}`);
  }
  const scores = async (): Promise<Readonly<Record<string, number>>> => {
    const query = askedAnew('rain in a city');
    const found = await time.passUntil(api.ask<Result[]>(client.key, 'POST', '/api/vector/search', { query }));
    return Object.fromEntries(found.map((result) => [result.collection_name, result.similarity_score]));
  };
  const meanwhile: Readonly<Record<string, number>>[] = [];
  const untilWhole = () =>
    time.passUntilSucceeds(async () => {
      const found = await scores();
      meanwhile.push(found);
      expect(Object.keys(found)).toHaveLength(topics.length + 1);
      return found;
    });
  await untilWhole();
  onTestFinished(() => ollama.install(nomicStandIn));
  ollama.install({ ...nomicStandIn, digest: nomicStandIn.digest.split('').toReversed().join('') });
  // So that it is noticed; without a search the embedder would remember the model's id for a minute.
  await scores();
  meanwhile.length = 0;
  const last = await untilWhole();
  // The stand-in's vectors of one model are about as far as possible from those of the other.
  expect(Math.min(...Object.values(last))).toBeGreaterThan(0.2);
  for (const found of meanwhile) expect(last).toMatchObject(found);
  expect(meanwhile.length).toBeGreaterThan(1);
  expect(stage.log().lines.some(({ msg }) => /^The embedding model is now .+ \(was /.test(msg))).toBe(true);
});

/** A description of 7,500 characters. */
const longText = (name: string): string =>
  Array.from({ length: 200 }, (_, quay) => `The ${name} of a harbour, hour by hour, at its quay ${quay}. `)
    .join('')
    .slice(0, 7_500);

test('Ollama (stand-in) that takes 4 s for a long document fails no search while eight of them go in', async () => {
  const { stage, senders } = await open();
  const { api, time } = stage;
  await untilFound(stage, senders, 'weather forecast', [senders.collection]);
  onTestFinished(() => {
    ollama.runner.tokenMs = 0;
  });
  ollama.runner.tokenMs = 2.5;
  const names = Array.from({ length: 8 }, (_, i) => `Tides ${i}`);
  for (const name of names) await createCollection(api, senders.admin, name, longText(name));
  const found = async () => ((await find(stage, senders, 'tides')) ?? []).map((each) => each.collection_name);
  const waits: number[] = [];
  await time.passUntilSucceeds(async () => {
    const before = performance.now();
    const all = await found();
    waits.push(performance.now() - before);
    expect(all).toEqual(expect.arrayContaining(names));
  });
  expect(waits.length).toBeGreaterThan(20);
  // A piece, the query itself, and steps of the stopped time.
  expect(Math.max(...waits)).toBeLessThan(256 * ollama.runner.tokenMs + 200);
});

test('Ollama (stand-in) that loads its model for 12 s is not interrupted by searches, which are told when to come again', async () => {
  const { stage, senders } = await open();
  const { api, time } = stage;
  await untilFound(stage, senders, 'weather forecast', [senders.collection]);
  const loads = ollama.runner.loadsBegun;
  onTestFinished(() => {
    ollama.runner.loadMs = 0;
  });
  ollama.runner.loadMs = 12_000;
  ollama.runner.unload();
  const ask = async () => {
    const body = { query: askedAnew('weather forecast') };
    const { status, headers } = await time.passUntil(api.call(senders.admin, 'POST', '/api/vector/search', body));
    return [status, headers.get('retry-after')];
  };
  const before = performance.now();
  expect(await ask()).toEqual([500, '2']);
  await time.pass(100);
  expect(await ask()).toEqual([500, '10']);
  await time.passUntilSucceeds(async () => expect(await ask()).toEqual([200, null]));
  expect(performance.now() - before).toBeLessThan(13_000);
  expect(ollama.runner.loadsBegun).toBe(loads + 1);
});
