import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { compose, createLogger, readConfig } from '@portico/composition';
import type { ConsoleService, Person } from '../console-service.ts';

const root = resolve(import.meta.dirname, '../../../..');
const dayMs = 86_400_000;

interface Member {
  readonly name: string;
  readonly company: string;
  readonly groups: readonly string[];
}

const members: readonly Member[] = [
  { name: 'Amara Osei', company: 'Lighthouse Travel', groups: ['Travel desk'] },
  { name: 'Benedikt Hauser', company: 'Lighthouse Travel', groups: ['Travel desk', 'Data team'] },
  { name: 'Chiara Lombardi', company: 'Fernhill Payments', groups: ['Payments'] },
  { name: 'Daniel Okafor', company: 'Fernhill Payments', groups: ['Payments'] },
  { name: 'Elif Demir', company: 'Lighthouse Travel', groups: ['Travel desk'] },
  { name: 'Farid Nasser', company: 'Quayside Logistics', groups: ['Shop'] },
  { name: 'Greta Lindqvist', company: 'Quayside Logistics', groups: ['Shop', 'Payments'] },
  { name: 'Hiroshi Tanabe', company: 'Quayside Logistics', groups: ['Data team'] },
  { name: 'Ines Carvalho', company: 'Fernhill Payments', groups: ['Data team'] },
  { name: 'Jonas Berg', company: 'Lighthouse Travel', groups: ['Travel desk'] },
  { name: 'Katja Novak', company: 'Quayside Logistics', groups: ['Shop'] },
  { name: 'Liam Gallagher-Byrne', company: 'Lighthouse Travel', groups: [] },
];

/** People who have registered and are waiting for a decision. */
const pendingPeople = [
  { name: 'Maya Fontaine', company: 'Quayside Logistics' },
  { name: 'Nils Petersen', company: 'Lighthouse Travel' },
  { name: 'Oksana Melnyk', company: 'Fernhill Payments' },
];

/** The APIs of each group, and the days until the access expires. */
const groups: readonly (readonly [name: string, description: string, apis: readonly string[], days: number | null])[] =
  [
    ['Travel desk', 'Books flights and hotels', ['Nimbara Weather', 'Waymark Maps', 'Skylane Flight Search'], null],
    [
      'Payments',
      'Incoming and outgoing payments',
      ['Kestrel Pay Charges', 'Florin Exchange Rates', 'Quillbook Invoicing'],
      180,
    ],
    ['Shop', 'The shop and its parcels', ['Parcelbee Shipping', 'Stockyard Warehouse', 'Pigeonpost Email'], null],
    ['Data team', 'Company-wide reports', ['Daybreak News Search', 'Bellwether Market Data'], 20],
  ];

/** Access that people have in addition to the access of their groups. */
const grants: readonly (readonly [name: string, apis: readonly string[], days: number | null])[] = [
  ['Amara Osei', ['Roomlark Hotel Booking', 'Babbelry Translation'], 90],
  ['Chiara Lombardi', ['Veridane Identity Verification'], 12],
  ['Farid Nasser', ['Tonwire SMS'], null],
  ['Jonas Berg', ['Almanack Calendar'], 30],
  ['Liam Gallagher-Byrne', ['Nimbara Weather', 'Thornbury Issue Tracker'], null],
];

const requests: readonly (readonly [name: string, api: string, reason: string, days: number | null])[] = [
  ['Elif Demir', 'Roomlark Hotel Booking', 'Travellers often need a room with their flight.', 90],
  ['Katja Novak', 'Tonwire SMS', 'To notify customers that their parcel has arrived.', null],
  ['Hiroshi Tanabe', 'Florin Exchange Rates', 'Monthly report in one currency.', 365],
  ['Amara Osei', 'Skylane Flight Search', 'Prices for the offer to a school.', 30],
];

export const memberOf = (name: string): Person => {
  const [firstName = ''] = name.toLowerCase().split(' ');
  return { uid: firstName, email: `${firstName}@example.com` };
};

/** A second administrator. */
export const colleague: Person = { uid: 'marta', email: 'marta@example.com' };

export interface Organisation {
  /** The ids of the collections by name. */
  readonly apis: ReadonlyMap<string, string>;
}

const expiryIn = (days: number | null): { readonly expires_at?: string } =>
  days === null ? {} : { expires_at: new Date(Date.now() + days * dayMs).toISOString() };

/** Fills a new service with a small organisation: fictional people, and the repository's samples. */
export const seedOrganisation = async (service: ConsoleService): Promise<Organisation> => {
  const command = ['-C', '@portico/source', 'apps/cli/src/main.ts', 'import', 'samples'];
  const env = { ...process.env, DATA_DIR: service.dataDir };
  await promisify(execFile)(process.execPath, command, { cwd: root, env });
  const collections = await service.request<readonly { readonly id: string; readonly name: string }[]>(
    'GET',
    '/api/collections/',
  );
  const apis = new Map(collections.map(({ id, name }) => [name, id]));
  const profiles = new Map<string, string>();
  const marta = await service.register(colleague, { fullName: 'Marta Silva', company: 'Lighthouse Travel' });
  await service.request('PUT', `/api/profiles/${marta}/role`, { role: 'admin' });
  for (const { name, company } of members)
    profiles.set(name, await service.register(memberOf(name), { fullName: name, company }));
  for (const { name, company } of pendingPeople)
    await service.register(memberOf(name), { fullName: name, company, approved: false });
  await grantAll(service, apis);
  await addLimits(service);
  await addRequests(service, apis);
  await addUsage(service, apis, profiles);
  await service.request('POST', `/api/profiles/${memberOf('Daniel').email}/suspend`, { reason: 'On leave' }, colleague);
  return { apis };
};

const grantAll = async (service: ConsoleService, apis: ReadonlyMap<string, string>): Promise<void> => {
  const idsOf = (names: readonly string[]) => names.map((name) => apis.get(name));
  for (const [name, description, apiNames, days] of groups) {
    await service.request('POST', '/api/groups', { name, description });
    const emails = members
      .filter((member) => member.groups.includes(name))
      .map((member) => memberOf(member.name).email);
    await service.request('POST', `/api/groups/${encodeURIComponent(name)}/members`, { profiles: emails });
    await service.request(
      'POST',
      '/api/access/grants',
      { groups: [name], collections: idsOf(apiNames), ...expiryIn(days) },
      colleague,
    );
  }
  for (const [name, apiNames, days] of grants)
    await service.request('POST', '/api/access/grants', {
      profiles: [memberOf(name).email],
      collections: idsOf(apiNames),
      ...expiryIn(days),
    });
  for (const [name, id] of apis)
    if (name !== 'Tallowfield People and Payroll')
      await service.request('PUT', `/api/collections/${id}`, { discoverable: true });
};

const addLimits = async (service: ConsoleService): Promise<void> => {
  const tiers = [
    { tier: 'standard', allowed_limit: 600, window_seconds: 60, description: 'The initial tier of every client' },
    { tier: 'reports', allowed_limit: 20_000, window_seconds: 86_400, description: 'Nightly jobs' },
    { tier: 'partners', allowed_limit: 3_000, window_seconds: 60, description: 'Shops with many customers' },
  ];
  for (const tier of tiers) await service.request('POST', '/api/rate-limits/tiers', tier);
  await service.request('PUT', '/api/groups/Shop/tier', { tier: 'partners' });
  for (const name of ['Hiroshi', 'Ines', 'Benedikt'])
    await service.request('PUT', `/api/profiles/${memberOf(name).email}/tier`, { tier: 'reports' });
  await service.request('POST', '/api/rate-limits/overrides', {
    client_id: memberOf('Greta').email,
    allowed_limit: 120,
    window_seconds: 60,
  });
};

const addRequests = async (service: ConsoleService, apis: ReadonlyMap<string, string>): Promise<void> => {
  const send = ([name, api, reason, days]: (typeof requests)[number]) => {
    const body = { collection_id: apis.get(api), reason, ...(days === null ? {} : { duration_days: days }) };
    return service.request<{ readonly id: string }>('POST', '/api/access/requests', body, memberOf(name));
  };
  for (const request of requests.slice(0, 3)) await send(request);
  const deniedRequest = await send(['Jonas Berg', 'Inkwell E-Signature', 'To sign the contracts of the summer.', 90]);
  await service.request(
    'POST',
    `/api/access/requests/${deniedRequest.id}/deny`,
    { reason: 'Legal signs them.' },
    colleague,
  );
  const approvedRequest = await send(['Amara Osei', 'Almanack Calendar', 'To find a time for a call.', null]);
  await service.request('POST', `/api/access/requests/${approvedRequest.id}/approve`, {}, colleague);
  await send(['Amara Osei', 'Scribewell Speech to Text', 'Notes of calls with travellers.', 60]);
};

/** Adds a month of usage, identical in every run, with less at weekends. Usage is stored by day, so it is written directly. */
const addUsage = async (
  service: ConsoleService,
  apis: ReadonlyMap<string, string>,
  profiles: ReadonlyMap<string, string>,
): Promise<void> => {
  const config = readConfig({ DATA_DIR: service.dataDir, JOBS: 'off' });
  const portico = await compose(config, createLogger('silent', 'pictures'), 'tool');
  type DailyUsage = Parameters<typeof portico.ports.usage.add>[0][number];
  const now = Date.now();
  const today = Math.floor(now / dayMs);
  const pairs = members.flatMap(({ name, groups: memberGroups }) =>
    groups
      .filter(([group]) => memberGroups.includes(group))
      .flatMap(([, , names]) => names.map((api) => ({ name, api }))),
  );
  for (let daysAgo = 44; daysAgo >= 0; daysAgo--) {
    const day = today - daysAgo;
    const isWeekend = [0, 6].includes(new Date(day * dayMs).getUTCDay());
    const dailyUsage = pairs.flatMap(({ name, api }, index) => {
      const [profileId, collectionId] = [profiles.get(name), apis.get(api)];
      const reads = Math.round((isWeekend ? 2 : 9) * (1 + Math.sin(index * 7 + day * 3)) * (1.4 - daysAgo / 60));
      if (!profileId || !collectionId || reads === 0) return [];
      const lastUsedAt = Math.min(now, day * dayMs + (9 + (index % 9)) * 3_600_000 + index * 61_000);
      const served = { read: reads, search: reads >> 2, slice: reads * 2, credential_read: reads >> 3 };
      const counts = { ...served, call: 0, refused: 0 };
      const baseUsage = { day, counts, lastUsedAt, keyUsedAt: lastUsedAt };
      return [
        {
          ...baseUsage,
          profileId: profileId as DailyUsage['profileId'],
          collectionId: collectionId as DailyUsage['collectionId'],
        },
      ];
    });
    await portico.ports.usage.add(dailyUsage);
  }
  await portico.close();
};
