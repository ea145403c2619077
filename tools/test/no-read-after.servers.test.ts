import { startPostgres, startRedis } from '@portico/test-servers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ApiClient, Credential } from '../src/api-client.ts';
import { composeReplicas, type ComposedReplicas } from './composed-replicas.ts';
import { prepareSenders, eventually, type Client } from './faults/traffic.ts';
import { createInstallation, type Installation } from './installation.ts';
import {
  answersOf,
  documentWith,
  isSeen,
  textAt,
  untilFound,
  usagePath,
  viewNames,
  views,
  type Sought,
  type ViewName,
} from './views.ts';

const postgres = await startPostgres();
const redis = await startRedis();
afterAll(() => Promise.all([postgres?.close(), redis?.close()]));

/** A few of each kind by default; many if `THOROUGH` is set, as many as `CYCLES` says if that is. */
const lanes = 4;
const turns = Math.ceil(Number(process.env.CYCLES ?? (process.env.THOROUGH === '1' ? 5_000 : 12)) / lanes);
const cycles = turns * lanes;

/** The views that a cycle asks: all, or if there are many cycles a few in turn, so that all are asked equally often. */
const asked = cycles > 500 ? 5 : viewNames.length;
const viewsOf = (turn: number): readonly ViewName[] =>
  Array.from({ length: asked }, (_, at) => viewNames[(turn * asked + at) % viewNames.length]).filter(
    (name) => name !== undefined,
  );
const path = '/tonwire';

/** Two replicas of the service, and who asks them. */
interface Pair {
  readonly one: ApiClient;
  readonly other: ApiClient;
  readonly admin: Credential;
  readonly person: (uid: string, email: string, groups?: readonly string[]) => Promise<Credential>;
}

/** A client that gets the sought collection and loses it, by its own grant or by a group that has it. */
interface Lane {
  readonly number: number;
  readonly uid: string;
  client: Client;
  readonly group: { readonly id: string; readonly name: string };
}

/** Those views that answered something else than they had to, of how many. */
interface Outcome {
  asked: number;
  readonly wrong: string[];
}

const newOutcome = (): Outcome => ({ asked: 0, wrong: [] });

/** Notes which views of the turn do not show everything, or show anything. */
const noteViews = async (
  outcome: Outcome,
  api: ApiClient,
  { client }: Lane,
  sought: Sought,
  shown: boolean,
  turn: number,
) => {
  const answers = await answersOf(api, client, sought, viewsOf(turn));
  outcome.asked += answers.length;
  outcome.wrong.push(...answers.flatMap(({ name, text }) => (isSeen(text) === shown ? [] : [name])));
};

/** Notes which views of the turn do not answer a suspended client with 401. */
const noteRefusals = async (outcome: Outcome, api: ApiClient, { client }: Lane, sought: Sought, turn: number) => {
  const answers = await answersOf(api, client, sought, viewsOf(turn));
  outcome.asked += answers.length;
  outcome.wrong.push(...answers.flatMap(({ name, status, text }) => (status === 401 && !isSeen(text) ? [] : [name])));
};

const createSought = async ({ one, other, admin }: Pair): Promise<Sought> => {
  const fields = { name: 'Tonwire', openapi_spec: documentWith(path) };
  const { id } = await one.ask<{ id: string }>(admin, 'POST', '/api/collections/', fields);
  return untilFound([one, other], admin, id, path);
};

/** Clients that have the collection, which is in their usage. */
const createLanes = async ({ one, other, admin, person }: Pair, sought: Sought): Promise<readonly Lane[]> => {
  const made = await Promise.all(
    Array.from({ length: lanes }, async (_, number): Promise<Lane> => {
      const uid = `person-${number}`;
      const { client } = await prepareSenders(one, admin, person, uid);
      const name = `Crew ${number}`;
      const { id } = await one.ask<{ id: string }>(admin, 'POST', '/api/groups', { name });
      return { number, uid, client, group: { id, name } };
    }),
  );
  const grantOfOwn = ({ client }: Lane) => `/api/access/clients/${client.id}/collections/${sought.id}`;
  for (const lane of made) {
    await one.ask(admin, 'POST', grantOfOwn(lane));
    await views(one, lane.client, sought);
  }
  for (const lane of made) {
    // What is counted is written every few seconds.
    await eventually(
      () => textAt(other, lane.client.key, 'GET', usagePath),
      (text) => isSeen(text),
    );
    await one.ask(admin, 'DELETE', grantOfOwn(lane));
  }
  return made;
};

const grantToGroups = async ({ one, admin }: Pair, made: readonly Lane[], sought: Sought): Promise<void> => {
  for (const { group } of made) await one.ask(admin, 'POST', `/api/groups/${group.id}/collections/${sought.id}`);
};

/** Runs the turns of all lanes beside each other, and tells how long they took. */
const inLanes = async (what: string, made: readonly Lane[], turn: (lane: Lane, number: number) => Promise<void>) => {
  const startedAt = performance.now();
  await Promise.all(
    made.map(async (lane) => {
      for (let number = 0; number < turns; number++) await turn(lane, number);
    }),
  );
  tell(what, startedAt);
};

const tell = (what: string, startedAt: number): void => {
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  console.info(`${cycles} times ${what}, ${asked} of ${viewNames.length} views at each replica: ${seconds} s`);
};

/** The replicas take turns at changing. */
const inTurns = ({ one, other }: Pair, number: number): readonly [ApiClient, ApiClient] =>
  number % 2 === 0 ? [one, other] : [other, one];

const variablesOf = async () => ({
  DATABASE_URL: (await postgres?.newDatabase()) ?? '',
  REDIS_URL: redis?.url ?? '',
  NODE_ENV: 'development',
  LOG_LEVEL: 'warn',
  RATE_LIMIT_DEFAULT: '1000000/60',
});

describe.skipIf(!postgres || !redis)('two processes on one PostgreSQL and one Redis', () => {
  let installation: Installation;
  let pair: Pair;
  let sought: Sought;
  let made: readonly Lane[];
  beforeAll(async () => {
    await redis?.flush();
    installation = await createInstallation({ ...(await variablesOf()), JOBS: 'off' });
    installation.spawnWorker();
    const [one, other] = await Promise.all([installation.startReplica(), installation.startReplica()]);
    pair = { one: one.api, other: other.api, admin: await installation.admin(), person: installation.person };
    sought = await createSought(pair);
    made = await createLanes(pair, sought);
    await grantToGroups(pair, made, sought);
  });
  afterAll(() => installation.remove());

  test(`once a leaving is answered no view at any replica shows what the group has, ${cycles} times`, async () => {
    const [joined, left] = [newOutcome(), newOutcome()];
    await inLanes('left by hand', made, async (lane, number) => {
      const [joining, leaving] = inTurns(pair, number);
      const member = `/api/groups/${lane.group.id}/members/${lane.client.id}`;
      await joining.ask(pair.admin, 'POST', member);
      await noteViews(joined, leaving, lane, sought, true, number);
      await leaving.ask(pair.admin, 'DELETE', member);
      await noteViews(left, joining, lane, sought, false, number);
      await noteViews(left, leaving, lane, sought, false, number);
    });
    expect({ joined, left }).toEqual({
      joined: { asked: cycles * asked, wrong: [] },
      left: { asked: 2 * cycles * asked, wrong: [] },
    });
  });

  test(`once a suspension is answered every view at any replica refuses, ${cycles} times`, async () => {
    const [resumed, suspended] = [newOutcome(), newOutcome()];
    for (const { group, client } of made)
      await pair.one.ask(pair.admin, 'POST', `/api/groups/${group.id}/members/${client.id}`);
    await inLanes('suspended', made, async (lane, number) => {
      const [changing, reading] = inTurns(pair, number);
      const act = (api: ApiClient, what: string) =>
        api.ask(pair.admin, 'POST', `/api/profiles/${lane.client.id}/${what}`);
      await noteViews(resumed, reading, lane, sought, true, number);
      await act(changing, 'suspend');
      await noteRefusals(suspended, reading, lane, sought, number);
      await noteRefusals(suspended, changing, lane, sought, number);
      await act(reading, 'resume');
      await noteViews(resumed, changing, lane, sought, true, number);
    });
    expect({ resumed, suspended }).toEqual({
      resumed: { asked: 2 * cycles * asked, wrong: [] },
      suspended: { asked: 2 * cycles * asked, wrong: [] },
    });
  });
});

describe.skipIf(!postgres || !redis)('two replicas that read one clock', () => {
  let replicas: ComposedReplicas;
  let pair: Pair;
  let sought: Sought;
  let made: readonly Lane[];
  beforeAll(async () => {
    await redis?.flush();
    replicas = await composeReplicas(2, { ...(await variablesOf()), IDENTITY_GROUPS_CLAIM: 'groups' });
    const [one, other] = replicas.apis;
    if (!one || !other) throw new Error('There are fewer than two replicas');
    pair = { one, other, admin: await replicas.admin(), person: replicas.person };
    sought = await createSought(pair);
    made = await createLanes(pair, sought);
  });
  afterAll(() => replicas.close());

  test(`at the end of a grant no view at any replica shows what it gave, ${cycles} times`, async () => {
    const [before, after] = [newOutcome(), newOutcome()];
    const startedAt = performance.now();
    for (const { group, client } of made)
      await pair.one.ask(pair.admin, 'POST', `/api/groups/${group.id}/members/${client.id}`);
    const both = async (outcome: Outcome, shown: boolean, number: number) => {
      for (const api of [pair.one, pair.other])
        await Promise.all(made.map((lane) => noteViews(outcome, api, lane, sought, shown, number)));
    };
    for (let number = 0; number < turns; number++) {
      const [granting, extending] = inTurns(pair, number);
      const set = (api: ApiClient, method: string, end: number) =>
        Promise.all(
          made.map((lane) =>
            api.ask(pair.admin, method, grantOf(lane, sought), { expires_at: new Date(end).toISOString() }),
          ),
        );
      const end = replicas.clock.now() + 1_000;
      await set(granting, 'POST', end - 500);
      replicas.clock.moveTo(end - 501);
      await set(extending, 'PUT', end);
      replicas.clock.moveTo(end - 1);
      await both(before, true, number);
      replicas.clock.moveTo(end);
      await both(after, false, number);
    }
    tell('expired', startedAt);
    for (const { group, client } of made)
      await pair.one.ask(pair.admin, 'DELETE', `/api/groups/${group.id}/members/${client.id}`);
    const expected = { asked: 2 * cycles * asked, wrong: [] };
    expect({ before, after }).toEqual({ before: expected, after: expected });
  });

  test(`once a token without the group is answered no view at any replica shows what it has, ${cycles} times`, async () => {
    const [joined, left] = [newOutcome(), newOutcome()];
    await grantToGroups(pair, made, sought);
    await inLanes('left by claim', made, async (lane, number) => {
      const [joining, leaving] = inTurns(pair, number);
      const signIn = async (api: ApiClient, groups: readonly string[]) => {
        const token = await pair.person(lane.uid, `${lane.uid}@example.com`, groups);
        await api.ask(token, 'GET', '/api/profiles/me');
        lane.client = { ...lane.client, token };
      };
      await signIn(joining, [lane.group.name]);
      await noteViews(joined, leaving, lane, sought, true, number);
      await signIn(leaving, []);
      await noteViews(left, joining, lane, sought, false, number);
      await noteViews(left, leaving, lane, sought, false, number);
    });
    expect({ joined, left }).toEqual({
      joined: { asked: cycles * asked, wrong: [] },
      left: { asked: 2 * cycles * asked, wrong: [] },
    });
  });
});

/** Every other client has a grant of its own, the rest one of a group. */
const grantOf = ({ number, client, group }: Lane, { id }: Sought): string =>
  number % 2 === 0 ? `/api/access/clients/${client.id}/collections/${id}` : `/api/groups/${group.id}/collections/${id}`;
