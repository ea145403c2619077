import { startPostgres, startRedis } from '@portico/test-servers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ApiClient, Credential } from '../src/api-client.ts';
import { composeReplicas, type ComposedReplicas } from './composed-replicas.ts';
import { prepareCallers, eventually, type Client } from './faults/traffic.ts';
import { createInstallation, type Installation } from './installation.ts';
import {
  readViews,
  documentWith,
  isSeen,
  textAt,
  waitUntilFound,
  usagePath,
  viewNames,
  visibleViews,
  type Target,
  type ViewName,
} from './views.ts';

const postgres = await startPostgres();
const redis = await startRedis();
afterAll(() => Promise.all([postgres?.close(), redis?.close()]));

/** There are a few cycles of each kind by default, and many if `THOROUGH` is set. `CYCLES` sets their number. */
const laneCount = 4;
const roundsPerLane = Math.ceil(Number(process.env.CYCLES ?? (process.env.THOROUGH === '1' ? 5_000 : 12)) / laneCount);
const cycles = roundsPerLane * laneCount;

/**
 * Each cycle reads all views. If there are many cycles, each reads only a few, so that all views are read equally
 * often.
 */
const viewsPerRound = cycles > 500 ? 5 : viewNames.length;
const viewsOf = (round: number): readonly ViewName[] =>
  Array.from({ length: viewsPerRound }, (_, at) => viewNames[(round * viewsPerRound + at) % viewNames.length]).filter(
    (name) => name !== undefined,
  );
const path = '/tonwire';

/** Two replicas of the service, and their callers. */
interface Pair {
  readonly one: ApiClient;
  readonly other: ApiClient;
  readonly admin: Credential;
  readonly person: (uid: string, email: string, groups?: readonly string[]) => Promise<Credential>;
}

/** A client that gains and loses access to the target collection, through its own grant or through a group's. */
interface Lane {
  readonly number: number;
  readonly uid: string;
  client: Client;
  readonly group: { readonly id: string; readonly name: string };
}

/** The number of checked views, and those that returned an unexpected response. */
interface Outcome {
  checked: number;
  readonly wrong: string[];
}

const newOutcome = (): Outcome => ({ checked: 0, wrong: [] });

/** Records which views of the round hide the target although it is visible, or show it although it is not. */
const recordViews = async (
  outcome: Outcome,
  api: ApiClient,
  { client }: Lane,
  target: Target,
  isVisible: boolean,
  round: number,
) => {
  const responses = await readViews(api, client, target, viewsOf(round));
  outcome.checked += responses.length;
  outcome.wrong.push(...responses.flatMap(({ name, text }) => (isSeen(text) === isVisible ? [] : [name])));
};

/** Records which views of the round do not reject a suspended client with 401. */
const recordRejections = async (outcome: Outcome, api: ApiClient, { client }: Lane, target: Target, round: number) => {
  const responses = await readViews(api, client, target, viewsOf(round));
  outcome.checked += responses.length;
  outcome.wrong.push(...responses.flatMap(({ name, status, text }) => (status === 401 && !isSeen(text) ? [] : [name])));
};

const createTarget = async ({ one, other, admin }: Pair): Promise<Target> => {
  const fields = { name: 'Tonwire', openapi_spec: documentWith(path) };
  const { id } = await one.request<{ id: string }>(admin, 'POST', '/api/collections/', fields);
  return waitUntilFound([one, other], admin, id, path);
};

/** Creates clients that have used the collection, so that their usage contains it, and then removes their grants. */
const createLanes = async ({ one, other, admin, person }: Pair, target: Target): Promise<readonly Lane[]> => {
  const lanes = await Promise.all(
    Array.from({ length: laneCount }, async (_, number): Promise<Lane> => {
      const uid = `person-${number}`;
      const { client } = await prepareCallers(one, admin, person, uid);
      const name = `Crew ${number}`;
      const { id } = await one.request<{ id: string }>(admin, 'POST', '/api/groups', { name });
      return { number, uid, client, group: { id, name } };
    }),
  );
  const ownGrantPath = ({ client }: Lane) => `/api/access/clients/${client.id}/collections/${target.id}`;
  for (const lane of lanes) {
    await one.request(admin, 'POST', ownGrantPath(lane));
    await visibleViews(one, lane.client, target);
  }
  for (const lane of lanes) {
    // Counts are written every few seconds.
    await eventually(
      () => textAt(other, lane.client.key, 'GET', usagePath),
      (text) => isSeen(text),
    );
    await one.request(admin, 'DELETE', ownGrantPath(lane));
  }
  return lanes;
};

const grantToGroups = async ({ one, admin }: Pair, lanes: readonly Lane[], target: Target): Promise<void> => {
  for (const { group } of lanes) await one.request(admin, 'POST', `/api/groups/${group.id}/collections/${target.id}`);
};

/** Runs the lanes concurrently, each with its rounds, and logs how long they took. */
const runInLanes = async (
  event: string,
  lanes: readonly Lane[],
  runRound: (lane: Lane, round: number) => Promise<void>,
) => {
  const startedAt = performance.now();
  await Promise.all(
    lanes.map(async (lane) => {
      for (let round = 0; round < roundsPerLane; round++) await runRound(lane, round);
    }),
  );
  logDuration(event, startedAt);
};

const logDuration = (event: string, startedAt: number): void => {
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  console.info(`${cycles} times ${event}, ${viewsPerRound} of ${viewNames.length} views at each replica: ${seconds} s`);
};

/** Returns the replicas in alternating order, so that they take turns at making the changes. */
const alternate = ({ one, other }: Pair, round: number): readonly [ApiClient, ApiClient] =>
  round % 2 === 0 ? [one, other] : [other, one];

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
  let target: Target;
  let lanes: readonly Lane[];
  beforeAll(async () => {
    await redis?.flush();
    installation = await createInstallation({ ...(await variablesOf()), JOBS: 'off' });
    installation.spawnWorker();
    const [one, other] = await Promise.all([installation.startReplica(), installation.startReplica()]);
    pair = { one: one.api, other: other.api, admin: await installation.admin(), person: installation.person };
    target = await createTarget(pair);
    lanes = await createLanes(pair, target);
    await grantToGroups(pair, lanes, target);
  });
  afterAll(() => installation.remove());

  test(`after a client left a group, no view at any replica shows its collection, ${cycles} times`, async () => {
    const [joined, left] = [newOutcome(), newOutcome()];
    await runInLanes('left by request', lanes, async (lane, number) => {
      const [joining, leaving] = alternate(pair, number);
      const member = `/api/groups/${lane.group.id}/members/${lane.client.id}`;
      await joining.request(pair.admin, 'POST', member);
      await recordViews(joined, leaving, lane, target, true, number);
      await leaving.request(pair.admin, 'DELETE', member);
      await recordViews(left, joining, lane, target, false, number);
      await recordViews(left, leaving, lane, target, false, number);
    });
    expect({ joined, left }).toEqual({
      joined: { checked: cycles * viewsPerRound, wrong: [] },
      left: { checked: 2 * cycles * viewsPerRound, wrong: [] },
    });
  });

  test(`after a client was suspended, every view at any replica rejects it, ${cycles} times`, async () => {
    const [resumed, suspended] = [newOutcome(), newOutcome()];
    for (const { group, client } of lanes)
      await pair.one.request(pair.admin, 'POST', `/api/groups/${group.id}/members/${client.id}`);
    await runInLanes('suspended', lanes, async (lane, number) => {
      const [changing, reading] = alternate(pair, number);
      const changeProfile = (api: ApiClient, action: string) =>
        api.request(pair.admin, 'POST', `/api/profiles/${lane.client.id}/${action}`);
      await recordViews(resumed, reading, lane, target, true, number);
      await changeProfile(changing, 'suspend');
      await recordRejections(suspended, reading, lane, target, number);
      await recordRejections(suspended, changing, lane, target, number);
      await changeProfile(reading, 'resume');
      await recordViews(resumed, changing, lane, target, true, number);
    });
    expect({ resumed, suspended }).toEqual({
      resumed: { checked: 2 * cycles * viewsPerRound, wrong: [] },
      suspended: { checked: 2 * cycles * viewsPerRound, wrong: [] },
    });
  });
});

describe.skipIf(!postgres || !redis)('two replicas that read one clock', () => {
  let replicas: ComposedReplicas;
  let pair: Pair;
  let target: Target;
  let lanes: readonly Lane[];
  beforeAll(async () => {
    await redis?.flush();
    replicas = await composeReplicas(2, { ...(await variablesOf()), IDENTITY_GROUPS_CLAIM: 'groups' });
    const [one, other] = replicas.apis;
    if (!one || !other) throw new Error('There are fewer than two replicas');
    pair = { one, other, admin: await replicas.admin(), person: replicas.person };
    target = await createTarget(pair);
    lanes = await createLanes(pair, target);
  });
  afterAll(() => replicas.close());

  test(`once a grant has expired, no view at any replica shows its collection, ${cycles} times`, async () => {
    const [before, after] = [newOutcome(), newOutcome()];
    const startedAt = performance.now();
    for (const { group, client } of lanes)
      await pair.one.request(pair.admin, 'POST', `/api/groups/${group.id}/members/${client.id}`);
    const recordBothReplicas = async (outcome: Outcome, isVisible: boolean, number: number) => {
      for (const api of [pair.one, pair.other])
        await Promise.all(lanes.map((lane) => recordViews(outcome, api, lane, target, isVisible, number)));
    };
    for (let number = 0; number < roundsPerLane; number++) {
      const [granting, extending] = alternate(pair, number);
      const setGrants = (api: ApiClient, method: string, expiry: number) =>
        Promise.all(
          lanes.map((lane) =>
            api.request(pair.admin, method, grantPath(lane, target), { expires_at: new Date(expiry).toISOString() }),
          ),
        );
      const expiry = replicas.clock.now() + 1_000;
      await setGrants(granting, 'POST', expiry - 500);
      replicas.clock.moveTo(expiry - 501);
      await setGrants(extending, 'PUT', expiry);
      replicas.clock.moveTo(expiry - 1);
      await recordBothReplicas(before, true, number);
      replicas.clock.moveTo(expiry);
      await recordBothReplicas(after, false, number);
    }
    logDuration('expired', startedAt);
    for (const { group, client } of lanes)
      await pair.one.request(pair.admin, 'DELETE', `/api/groups/${group.id}/members/${client.id}`);
    const expected = { checked: 2 * cycles * viewsPerRound, wrong: [] };
    expect({ before, after }).toEqual({ before: expected, after: expected });
  });

  test(`after a token without the group was used, no view shows its collection, ${cycles} times`, async () => {
    const [joined, left] = [newOutcome(), newOutcome()];
    await grantToGroups(pair, lanes, target);
    await runInLanes('left by claim', lanes, async (lane, number) => {
      const [joining, leaving] = alternate(pair, number);
      const signIn = async (api: ApiClient, groups: readonly string[]) => {
        const token = await pair.person(lane.uid, `${lane.uid}@example.com`, groups);
        await api.request(token, 'GET', '/api/profiles/me');
        lane.client = { ...lane.client, token };
      };
      await signIn(joining, [lane.group.name]);
      await recordViews(joined, leaving, lane, target, true, number);
      await signIn(leaving, []);
      await recordViews(left, joining, lane, target, false, number);
      await recordViews(left, leaving, lane, target, false, number);
    });
    expect({ joined, left }).toEqual({
      joined: { checked: cycles * viewsPerRound, wrong: [] },
      left: { checked: 2 * cycles * viewsPerRound, wrong: [] },
    });
  });
});

/** Every other client has its own grant; the rest have a group's. */
const grantPath = ({ number, client, group }: Lane, { id }: Target): string =>
  number % 2 === 0 ? `/api/access/clients/${client.id}/collections/${id}` : `/api/groups/${group.id}/collections/${id}`;
