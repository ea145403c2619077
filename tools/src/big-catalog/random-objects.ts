import {
  dayMs,
  toIso,
  type AuditEntry,
  type ClientId,
  type Collection,
  type CollectionId,
  type EntryId,
  type Instant,
  type Profile,
  type ProfileId,
  type ReadDocument,
} from '@portico/domain';
import type { SeededRandom } from '../seeded-random.ts';

const firstNames = 'Ada Bo Chloé Elif Grace Hiro João Kemal Łucja Mei Noor Öykü Priya Søren Tomáš Uma Zoë'.split(' ');
const lastNames = 'Abe Brandt Dvořák Fischer García Haddad Ivanova Müller Okafor Petrović Şahin Xu Žižek'.split(' ');
const companies = ['Tonwire', 'Nordlicht Energie', 'Harbour & Sons', 'Paketa', 'Ånge Rail', null] as const;

const plain = (text: string): string =>
  text
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z]/g, '');

const adminCount = 5;

/**
 * Creates a profile. The first profiles are admins; of the others, 3 % are pending, 3 % rejected, and 2 % approved but
 * suspended.
 */
export const makePerson = (random: SeededRandom, at: number, now: Instant): Profile => {
  const [first, last, company] = [random.one(firstNames), random.one(lastNames), random.one(companies)];
  const createdAt = now - random.below(700 * dayMs);
  const roll = at < adminCount ? 1 : random.fraction();
  const facts = {
    id: random.uuid<ProfileId>(),
    email: `${plain(first)}.${plain(last)}.${at}@${plain(company ?? 'example')}.example`,
    fullName: `${first} ${last}`,
    companyName: company,
    uid: `big-catalog-${at}`,
    issuer: null,
    tier: null,
    suspendedAt: roll >= 0.06 && roll < 0.08 ? createdAt + dayMs : null,
    createdAt,
    updatedAt: createdAt,
  };
  if (roll < 0.06)
    return { ...facts, role: 'client', status: roll < 0.03 ? 'pending' : 'rejected', clientId: null, approvedAt: null };
  const role = at < adminCount ? 'admin' : 'client';
  return { ...facts, role, status: 'approved', clientId: random.uuid<ClientId>(), approvedAt: createdAt };
};

const topics = 'weather payment invoice parcel hotel flight map mail speech ticket payroll stock video Ölpreis'.split(
  ' ',
);

/** Creates a document with 3 to 12 operations, like a small service's. */
export const makeDocument = (random: SeededRandom): string => {
  const thing = random.one(topics);
  const paths = Array.from({ length: 3 + random.below(10) }, (_, at) => [
    `/${plain(thing)}/${at}`,
    {
      get: {
        operationId: `read${at}`,
        summary: `Read the ${thing} of a ${random.one(topics)}`,
        tags: [thing],
        responses: { 200: { description: `The ${thing}` } },
      },
    },
  ]);
  return JSON.stringify({
    openapi: '3.0.3',
    info: { title: `${thing} API`, version: '1.0.0', description: `Everything about ${thing}s.` },
    servers: [{ url: `https://${plain(thing)}.example.com/v1` }],
    paths: Object.fromEntries(paths) as object,
    ...(random.below(2) ? { security: [{ key: [] }], components: { securitySchemes: { key } } } : {}),
  });
};

const key = { type: 'apiKey', in: 'header', name: 'X-Api-Key' };

export const makeCollection = (
  random: SeededRandom,
  at: number,
  read: ReadDocument,
  createdBy: ProfileId,
  now: Instant,
): Collection => {
  const thing = random.one(topics);
  const createdAt = now - random.below(600 * dayMs);
  return {
    id: random.uuid<CollectionId>(),
    name: `${random.one(companies) ?? 'Vela'} ${thing} API ${at}`,
    description: `Reading, searching and changing ${thing}s, for partners and for our own teams.`,
    createdBy,
    createdAt,
    updatedAt: createdAt + random.below(10 * dayMs),
    revision: 1,
    contentRevision: 1,
    documentDigest: read.digest,
    descriptionDerived: false,
    baseUrl: read.baseUrl,
    derivedAuthentication: read.authentication,
    storedAuthentication: null,
    discoverable: random.below(3) === 0,
    importKey: null,
  };
};

const ownActions = ['collection.credential_read', 'access.grant', 'access.revoke', 'credentials.rotate'] as const;

/** Creates an entry. Nine out of ten are calls reported by clients, and one is the service's own. */
export const makeEntry = (
  random: SeededRandom,
  client: Profile,
  collection: Collection,
  instant: Instant,
): AuditEntry => {
  const isOwn = random.below(10) === 0;
  const action = isOwn ? random.one(ownActions) : 'api_call';
  const message = {
    action,
    collection_id: collection.id,
    ...(isOwn
      ? { actor: client.email, collection: collection.name }
      : {
          client_id: client.clientId,
          endpoint: `/v1/items/${random.below(500)}`,
          status_code: random.one([200, 200, 404]),
        }),
  };
  return {
    id: random.uuid<EntryId>(),
    source: isOwn ? 'system' : 'client',
    actorId: client.id,
    message: JSON.stringify(message),
    timestamp: toIso(instant),
    instant,
    receivedAt: instant,
    facets: { clientId: isOwn ? null : client.clientId, collectionId: collection.id, action },
  };
};
