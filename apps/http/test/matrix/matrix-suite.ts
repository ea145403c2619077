import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { routes } from '../../src/index.ts';
import type { Route } from '../../src/route.ts';
import {
  conflictCases,
  discretionCases,
  faultCases,
  methodCases,
  missingCases,
  otherClientCases,
  unknownPathCases,
} from './generated-cases.ts';
import { matrixCases, type MatrixCase, type Tell } from './matrix-cases.ts';
import type { StartMatrixService } from './matrix-service.ts';
import { presented, rows } from './request.ts';
import { lineOf, type Line, type Transcript } from './transcript.ts';
import { headCases, ignoredBodyCases, slashCases } from './twin-cases.ts';
import { createWorld, type World } from './world.ts';

const groups: Readonly<Record<string, readonly MatrixCase[]>> = {
  'every endpoint with every kind of caller': matrixCases,
  'a refused caller learns nothing': [...discretionCases, ...otherClientCases],
  'missing objects': missingCases,
  'invalid requests': faultCases,
  conflicts: conflictCases,
  'methods and paths': [...methodCases, ...unknownPathCases],
  'equivalent requests': [...slashCases, ...ignoredBodyCases, ...headCases],
};

/** The console's page and files, and signing in at the local issuer: pages and protocols with tests of their own. */
const isForBrowsers = ({ path }: Pick<Route, 'path'>): boolean =>
  path.startsWith('/local-issuer/') || (path.startsWith('/console') && path !== '/console/config.json');

/**
 * Tests everything that the specification says about who may call what against a running service. With a reference,
 * both must give the same answers.
 */
export const matrixSuite = (start: StartMatrixService, reference: StartMatrixService | null = null): void => {
  let world: World;
  let before: unknown;
  let expected: Transcript | null = null;

  beforeAll(async () => {
    expected = reference && (await record(reference));
    world = await createWorld(await start());
    before = await standing(world);
  }, 120_000);
  afterAll(() => world.close());

  test('the route table has exactly the routes of the specification', () => {
    const inTable = routes
      .filter((route) => !isForBrowsers(route))
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
    expect(inTable.sort()).toEqual(rows.map(({ name }) => name).sort());
  });

  for (const [group, cases] of Object.entries(groups)) {
    describe(group, () => {
      for (const { name, run } of cases) {
        test(name, async () => {
          const lines = await linesOf(world, run);
          if (expected) expect(lines).toEqual(expected.get(name));
        });
      }
    });
  }

  test('no refused request has changed anything', async () => {
    expect(await standing(world)).toEqual(before);
  });
};

/** Records the answers of a service, by case. */
const record = async (start: StartMatrixService): Promise<Transcript> => {
  const world = await createWorld(await start());
  try {
    const transcript = new Map<string, readonly Line[]>();
    for (const { name, run } of Object.values(groups).flat()) {
      if (transcript.has(name)) throw new Error(`There are two cases "${name}"`);
      transcript.set(name, await linesOf(world, run));
    }
    return transcript;
  } finally {
    await world.close();
  }
};

const linesOf = async (world: World, run: MatrixCase['run']): Promise<readonly Line[]> => {
  const lines: Line[] = [];
  const tell: Tell = (reply, endpoint = {}) => {
    if (!endpoint.ofIssuer) lines.push(lineOf(reply, world, endpoint));
  };
  await run(world, tell);
  return lines;
};

/** Everything that an admin can see of the standing objects. */
const standing = async (world: World): Promise<unknown> => {
  const { client, granted, hidden, discoverable, request, group, cast, tier, override } = world;
  const admin = await presented(world, 'the first admin');
  const list = async (path: string) => (await client.call('GET', path, admin)).list;
  const known = new Set([
    granted,
    hidden,
    discoverable,
    request,
    tier,
    override,
    ...Object.values(cast).map(({ id }) => id),
  ]);
  const isKnown = (entry: Readonly<Record<string, unknown>>) => known.has(String(entry.tier ?? entry.id));
  return {
    profiles: (await list('/api/profiles/?include=bound,key,suspension')).filter(isKnown),
    accounts: (await list('/api/service-accounts')).filter(isKnown),
    collections: (await list('/api/collections/')).filter(isKnown),
    documents: [(await client.call('GET', `/api/collections/${granted}`, admin)).text],
    metadata: (await client.call('GET', `/api/collections/${granted}/metadata`, admin)).text,
    requests: (await list(`/api/access/requests?collection_id=${discoverable}`)).filter(isKnown),
    tiers: (await list('/api/rate-limits/tiers')).filter(isKnown),
    overrides: (await list('/api/rate-limits/overrides')).filter(isKnown),
    group: {
      ...(await client.call('GET', `/api/groups/${group}`, admin)).body,
      // Requests that succeed make members.
      member_count: null,
      members: (await list(`/api/groups/${group}/members`)).filter((entry) => known.has(String(entry.profile_id))),
    },
    grants: await Promise.all(
      [cast.client, cast.granted, cast.pendingGranted, cast.rejectedGranted, cast.demoted, cast.suspended].map(
        async ({ id }) => (await list(`/api/access/clients/${id}/collections?granted=true`)).filter(isKnown),
      ),
    ),
  };
};
