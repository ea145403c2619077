import { startPostgres, startRedis } from '@portico/test-servers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ApiClient, Credential } from '../src/api-client.ts';
import { composeReplicas, type ComposedReplicas } from './composed-replicas.ts';
import { prepareCallers, pollUntil, type Client } from './faults/traffic.ts';
import { createInstallation, type Installation } from './installation.ts';
import {
  readViews,
  documentWith,
  mentionsTarget,
  textAt,
  waitUntilFound,
  usagePath,
  viewNames,
  listVisibleViews,
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
  Array.from(
    { length: viewsPerRound },
    (_, index) => viewNames[(round * viewsPerRound + index) % viewNames.length],
  ).filter((name) => name !== undefined);
const path = '/tonwire';

/** Two replicas of the service, and their callers. */
interface Pair {
  readonly firstApi: ApiClient;
  readonly secondApi: ApiClient;
  readonly admin: Credential;
  readonly createToken: (uid: string, email: string, groups?: readonly string[]) => Promise<Credential>;
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
  checkedCount: number;
  readonly wrongViews: string[];
}

const createOutcome = (): Outcome => ({ checkedCount: 0, wrongViews: [] });

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
  outcome.checkedCount += responses.length;
  outcome.wrongViews.push(...responses.flatMap(({ name, text }) => (mentionsTarget(text) === isVisible ? [] : [name])));
};

/** Records which views of the round do not reject a suspended client with 401. */
const recordRejections = async (outcome: Outcome, api: ApiClient, { client }: Lane, target: Target, round: number) => {
  const responses = await readViews(api, client, target, viewsOf(round));
  outcome.checkedCount += responses.length;
  outcome.wrongViews.push(
    ...responses.flatMap(({ name, status, text }) => (status === 401 && !mentionsTarget(text) ? [] : [name])),
  );
};

const createTarget = async ({ firstApi, secondApi, admin }: Pair): Promise<Target> => {
  const fields = { name: 'Tonwire', openapi_spec: documentWith(path) };
  const { id } = await firstApi.request<{ id: string }>(admin, 'POST', '/api/collections/', fields);
  return waitUntilFound([firstApi, secondApi], admin, id, path);
};

/** Creates clients that have used the collection, so that their usage contains it, and then removes their grants. */
const createLanes = async (
  { firstApi, secondApi, admin, createToken }: Pair,
  target: Target,
): Promise<readonly Lane[]> => {
  const lanes = await Promise.all(
    Array.from({ length: laneCount }, async (_, number): Promise<Lane> => {
      const uid = `person-${number}`;
      const { client } = await prepareCallers(firstApi, admin, createToken, uid);
      const name = `Crew ${number}`;
      const { id } = await firstApi.request<{ id: string }>(admin, 'POST', '/api/groups', { name });
      return { number, uid, client, group: { id, name } };
    }),
  );
  const ownGrantPath = ({ client }: Lane) => `/api/access/clients/${client.id}/collections/${target.id}`;
  for (const lane of lanes) {
    await firstApi.request(admin, 'POST', ownGrantPath(lane));
    await listVisibleViews(firstApi, lane.client, target);
  }
  for (const lane of lanes) {
    // Counts are written every few seconds.
    await pollUntil(
      () => textAt(secondApi, lane.client.key, 'GET', usagePath),
      (text) => mentionsTarget(text),
    );
    await firstApi.request(admin, 'DELETE', ownGrantPath(lane));
  }
  return lanes;
};

const grantToGroups = async ({ firstApi, admin }: Pair, lanes: readonly Lane[], target: Target): Promise<void> => {
  for (const { group } of lanes)
    await firstApi.request(admin, 'POST', `/api/groups/${group.id}/collections/${target.id}`);
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
  console.info(`${cycles} times ${event}, ${viewsPerRound} of ${viewNames.length} views on each replica: ${seconds} s`);
};

/** Returns the replicas in alternating order, so that they take turns at making the changes. */
const alternateReplicas = ({ firstApi, secondApi }: Pair, round: number): readonly [ApiClient, ApiClient] =>
  round % 2 === 0 ? [firstApi, secondApi] : [secondApi, firstApi];

const createVariables = async () => ({
  DATABASE_URL: (await postgres?.createDatabase()) ?? '',
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
    installation = await createInstallation({ ...(await createVariables()), JOBS: 'off' });
    installation.spawnWorker();
    const [firstReplica, secondReplica] = await Promise.all([installation.startReplica(), installation.startReplica()]);
    pair = {
      firstApi: firstReplica.api,
      secondApi: secondReplica.api,
      admin: await installation.createAdminToken(),
      createToken: installation.createToken,
    };
    target = await createTarget(pair);
    lanes = await createLanes(pair, target);
    await grantToGroups(pair, lanes, target);
  });
  afterAll(() => installation.remove());

  test(`after a client leaves a group, no view on any replica shows the group's collection, ${cycles} times`, async () => {
    const [joinedOutcome, leftOutcome] = [createOutcome(), createOutcome()];
    await runInLanes('left by request', lanes, async (lane, round) => {
      const [joinApi, leaveApi] = alternateReplicas(pair, round);
      const memberPath = `/api/groups/${lane.group.id}/members/${lane.client.id}`;
      await joinApi.request(pair.admin, 'POST', memberPath);
      await recordViews(joinedOutcome, leaveApi, lane, target, true, round);
      await leaveApi.request(pair.admin, 'DELETE', memberPath);
      await recordViews(leftOutcome, joinApi, lane, target, false, round);
      await recordViews(leftOutcome, leaveApi, lane, target, false, round);
    });
    expect({ joined: joinedOutcome, left: leftOutcome }).toEqual({
      joined: { checkedCount: cycles * viewsPerRound, wrongViews: [] },
      left: { checkedCount: 2 * cycles * viewsPerRound, wrongViews: [] },
    });
  });

  test(`after a client is suspended, every view on every replica rejects it, ${cycles} times`, async () => {
    const [resumedOutcome, suspendedOutcome] = [createOutcome(), createOutcome()];
    for (const { group, client } of lanes)
      await pair.firstApi.request(pair.admin, 'POST', `/api/groups/${group.id}/members/${client.id}`);
    await runInLanes('suspended', lanes, async (lane, round) => {
      const [writer, reader] = alternateReplicas(pair, round);
      const changeProfile = (api: ApiClient, action: string) =>
        api.request(pair.admin, 'POST', `/api/profiles/${lane.client.id}/${action}`);
      await recordViews(resumedOutcome, reader, lane, target, true, round);
      await changeProfile(writer, 'suspend');
      await recordRejections(suspendedOutcome, reader, lane, target, round);
      await recordRejections(suspendedOutcome, writer, lane, target, round);
      await changeProfile(reader, 'resume');
      await recordViews(resumedOutcome, writer, lane, target, true, round);
    });
    expect({ resumed: resumedOutcome, suspended: suspendedOutcome }).toEqual({
      resumed: { checkedCount: 2 * cycles * viewsPerRound, wrongViews: [] },
      suspended: { checkedCount: 2 * cycles * viewsPerRound, wrongViews: [] },
    });
  });
});

describe.skipIf(!postgres || !redis)('two replicas that share a clock', () => {
  let replicas: ComposedReplicas;
  let pair: Pair;
  let target: Target;
  let lanes: readonly Lane[];
  beforeAll(async () => {
    await redis?.flush();
    replicas = await composeReplicas(2, { ...(await createVariables()), IDENTITY_GROUPS_CLAIM: 'groups' });
    const [firstApi, secondApi] = replicas.apis;
    if (!firstApi || !secondApi) throw new Error('There are fewer than two replicas');
    pair = { firstApi, secondApi, admin: await replicas.createAdminToken(), createToken: replicas.createToken };
    target = await createTarget(pair);
    lanes = await createLanes(pair, target);
  });
  afterAll(() => replicas.close());

  test(`after a grant expires, no view on any replica shows the collection, ${cycles} times`, async () => {
    const [before, after] = [createOutcome(), createOutcome()];
    const startedAt = performance.now();
    for (const { group, client } of lanes)
      await pair.firstApi.request(pair.admin, 'POST', `/api/groups/${group.id}/members/${client.id}`);
    const recordBothReplicas = async (outcome: Outcome, isVisible: boolean, round: number) => {
      for (const api of [pair.firstApi, pair.secondApi])
        await Promise.all(lanes.map((lane) => recordViews(outcome, api, lane, target, isVisible, round)));
    };
    for (let round = 0; round < roundsPerLane; round++) {
      const [grantApi, extendApi] = alternateReplicas(pair, round);
      const setGrants = (api: ApiClient, method: string, expiry: number) =>
        Promise.all(
          lanes.map((lane) =>
            api.request(pair.admin, method, grantPath(lane, target), { expires_at: new Date(expiry).toISOString() }),
          ),
        );
      const expiry = replicas.clock.now() + 1_000;
      await setGrants(grantApi, 'POST', expiry - 500);
      replicas.clock.moveTo(expiry - 501);
      await setGrants(extendApi, 'PUT', expiry);
      replicas.clock.moveTo(expiry - 1);
      await recordBothReplicas(before, true, round);
      replicas.clock.moveTo(expiry);
      await recordBothReplicas(after, false, round);
    }
    logDuration('expired', startedAt);
    for (const { group, client } of lanes)
      await pair.firstApi.request(pair.admin, 'DELETE', `/api/groups/${group.id}/members/${client.id}`);
    const expected = { checkedCount: 2 * cycles * viewsPerRound, wrongViews: [] };
    expect({ before, after }).toEqual({ before: expected, after: expected });
  });

  test(`after a token without the group is used, no view shows the group's collection, ${cycles} times`, async () => {
    const [joinedOutcome, leftOutcome] = [createOutcome(), createOutcome()];
    await grantToGroups(pair, lanes, target);
    await runInLanes('left by claim', lanes, async (lane, round) => {
      const [joinApi, leaveApi] = alternateReplicas(pair, round);
      const signIn = async (api: ApiClient, groups: readonly string[]) => {
        const token = await pair.createToken(lane.uid, `${lane.uid}@example.com`, groups);
        await api.request(token, 'GET', '/api/profiles/me');
        lane.client = { ...lane.client, token };
      };
      await signIn(joinApi, [lane.group.name]);
      await recordViews(joinedOutcome, leaveApi, lane, target, true, round);
      await signIn(leaveApi, []);
      await recordViews(leftOutcome, joinApi, lane, target, false, round);
      await recordViews(leftOutcome, leaveApi, lane, target, false, round);
    });
    expect({ joined: joinedOutcome, left: leftOutcome }).toEqual({
      joined: { checkedCount: cycles * viewsPerRound, wrongViews: [] },
      left: { checkedCount: 2 * cycles * viewsPerRound, wrongViews: [] },
    });
  });
});

/** Every other client has its own grant; the rest have a group's. */
const grantPath = ({ number, client, group }: Lane, { id }: Target): string =>
  number % 2 === 0 ? `/api/access/clients/${client.id}/collections/${id}` : `/api/groups/${group.id}/collections/${id}`;
