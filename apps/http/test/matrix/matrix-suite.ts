import { beforeAll, describe, expect, test } from 'vitest';
import { routes } from '../../src/index.ts';
import type { Route } from '../../src/route.ts';
import { allCases, type CasesByGroup } from './all-cases.ts';
import type { RecordedService } from './recorded-service.ts';
import { credentialOf, rows } from './request.ts';
import type { World } from './world.ts';

/**
 * Whether a route is for the console's page and files, or for signing in with the local issuer: these pages and
 * protocols have their own tests.
 */
const isForBrowsers = ({ path }: Pick<Route, 'path'>): boolean =>
  path === '/favicon.ico' ||
  (path.startsWith('/local-issuer/') && !path.includes('/.well-known/')) ||
  (path.startsWith('/console') && path !== '/console/config.json');

interface MatrixOptions {
  /** The cases to run; all cases by default. */
  readonly cases?: CasesByGroup;
  /** A service that must send the same responses. */
  readonly reference?: RecordedService;
}

/** Tests all access rules of the specification against a running service. */
export const matrixSuite = (service: RecordedService, { cases = allCases, reference }: MatrixOptions = {}): void => {
  let stateBefore: unknown;
  beforeAll(async () => {
    stateBefore = await readSharedObjects(await service.getWorld());
  });

  test('the route table has exactly the routes of the specification', () => {
    const routeNames = routes
      .filter((route) => !isForBrowsers(route))
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
    expect(routeNames.sort()).toEqual(rows.map(({ name }) => name).sort());
  });

  for (const [group, members] of Object.entries(cases)) {
    describe(group, () => {
      for (const matrixCase of members) {
        test(matrixCase.name, async () => {
          const lines = await service.linesOf(matrixCase);
          if (reference) expect(lines).toEqual(await reference.linesOf(matrixCase));
        });
      }
    });
  }

  test('rejected requests have not changed anything', async () => {
    expect(await readSharedObjects(await service.getWorld())).toEqual(stateBefore);
  });
};

/** Returns all data of the shared objects that an admin can read. */
const readSharedObjects = async (world: World): Promise<unknown> => {
  const { client, granted, hidden, discoverable, request, call, group, people, tier, override } = world;
  const admin = await credentialOf(world, 'the first admin');
  const readList = async (path: string) => (await client.call('GET', path, admin)).list;
  const knownIds = new Set([
    granted,
    hidden,
    discoverable,
    request,
    tier,
    override,
    ...Object.values(people).map(({ id }) => id),
  ]);
  const isKnown = (entry: Readonly<Record<string, unknown>>) => knownIds.has(String(entry.tier ?? entry.id));
  return {
    profiles: (await readList('/api/profiles/?include=bound,key,suspension')).filter(isKnown),
    accounts: (await readList('/api/service-accounts')).filter(isKnown),
    collections: (await readList('/api/collections/')).filter(isKnown),
    documents: [(await client.call('GET', `/api/collections/${granted}`, admin)).text],
    metadata: (await client.call('GET', `/api/collections/${granted}/metadata`, admin)).text,
    requests: (await readList(`/api/access/requests?collection_id=${discoverable}`)).filter(isKnown),
    call: (await client.call('GET', `/api/calls/${call}`, admin)).body,
    tiers: (await readList('/api/rate-limits/tiers')).filter(isKnown),
    overrides: (await readList('/api/rate-limits/overrides')).filter(isKnown),
    group: {
      ...(await client.call('GET', `/api/groups/${group}`, admin)).body,
      // Successful requests add members.
      member_count: null,
      members: (await readList(`/api/groups/${group}/members`)).filter((entry) =>
        knownIds.has(String(entry.profile_id)),
      ),
    },
    grants: await Promise.all(
      [
        people.client,
        people.granted,
        people.pendingGranted,
        people.rejectedGranted,
        people.demoted,
        people.suspended,
      ].map(async ({ id }) => (await readList(`/api/access/clients/${id}/collections?granted=true`)).filter(isKnown)),
    ),
  };
};
