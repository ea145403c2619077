import {
  activeLifecycle,
  dayMs,
  emptyChangePolicy,
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

const toAsciiLetters = (text: string): string =>
  text
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z]/g, '');

const adminCount = 5;

/**
 * Creates a profile. The first profiles are admins; of the others, 3 % are pending, 3 % rejected, and 2 % approved but
 * suspended.
 */
export const makePerson = (random: SeededRandom, index: number, now: Instant): Profile => {
  const [firstName, lastName, company] = [random.pick(firstNames), random.pick(lastNames), random.pick(companies)];
  const createdAt = now - random.nextIntegerBelow(700 * dayMs);
  const roll = index < adminCount ? 1 : random.nextFraction();
  const fields = {
    id: random.nextUuid<ProfileId>(),
    email: `${toAsciiLetters(firstName)}.${toAsciiLetters(lastName)}.${index}@${toAsciiLetters(company ?? 'example')}.example`,
    fullName: `${firstName} ${lastName}`,
    companyName: company,
    uid: `big-catalog-${index}`,
    issuer: null,
    tier: null,
    suspendedAt: roll >= 0.06 && roll < 0.08 ? createdAt + dayMs : null,
    createdAt,
    updatedAt: createdAt,
  };
  if (roll < 0.06)
    return {
      ...fields,
      role: 'client',
      status: roll < 0.03 ? 'pending' : 'rejected',
      clientId: null,
      approvedAt: null,
    };
  const role = index < adminCount ? 'admin' : 'client';
  return { ...fields, role, status: 'approved', clientId: random.nextUuid<ClientId>(), approvedAt: createdAt };
};

const topics = 'weather payment invoice parcel hotel flight map mail speech ticket payroll stock video Ölpreis'.split(
  ' ',
);

/** Creates a document with 3 to 12 operations, like a small service's. */
export const makeDocument = (random: SeededRandom): string => {
  const topic = random.pick(topics);
  const paths = Array.from({ length: 3 + random.nextIntegerBelow(10) }, (_, index) => [
    `/${toAsciiLetters(topic)}/${index}`,
    {
      get: {
        operationId: `read${index}`,
        summary: `Read the ${topic} of a ${random.pick(topics)}`,
        tags: [topic],
        responses: { 200: { description: `The ${topic}` } },
      },
    },
  ]);
  return JSON.stringify({
    openapi: '3.0.3',
    info: { title: `${topic} API`, version: '1.0.0', description: `Everything about ${topic}s.` },
    servers: [{ url: `https://${toAsciiLetters(topic)}.example.com/v1` }],
    paths: Object.fromEntries(paths) as object,
    ...(random.nextIntegerBelow(2) ? { security: [{ key: [] }], components: { securitySchemes: { key } } } : {}),
  });
};

const key = { type: 'apiKey', in: 'header', name: 'X-Api-Key' };

export const makeCollection = (
  random: SeededRandom,
  index: number,
  document: ReadDocument,
  createdBy: ProfileId,
  now: Instant,
): Collection => {
  const topic = random.pick(topics);
  const createdAt = now - random.nextIntegerBelow(600 * dayMs);
  return {
    id: random.nextUuid<CollectionId>(),
    name: `${random.pick(companies) ?? 'Vela'} ${topic} API ${index}`,
    description: `Reading, searching and changing ${topic}s, for partners and for our own teams.`,
    createdBy,
    createdAt,
    updatedAt: createdAt + random.nextIntegerBelow(10 * dayMs),
    revision: 1,
    contentRevision: 1,
    documentDigest: document.digest,
    original: null,
    descriptionDerived: false,
    baseUrl: document.baseUrl,
    derivedAuthentication: document.authentication,
    storedAuthentication: null,
    baseUrlSetting: null,
    serverVariables: {},
    credentialSchemes: [],
    delivery: 'reveal',
    ownCredentials: false,
    discoverable: random.nextIntegerBelow(3) === 0,
    importKey: null,
    lifecycle: activeLifecycle,
    ownerGroup: null,
    tags: [],
    changePolicy: emptyChangePolicy,
  };
};

const serviceActions = ['collection.credential_read', 'access.grant', 'access.revoke', 'credentials.rotate'] as const;

/** Creates an entry. Nine out of ten are calls reported by clients, and one is the service's own. */
export const makeEntry = (
  random: SeededRandom,
  client: Profile,
  collection: Collection,
  instant: Instant,
): AuditEntry => {
  const isServiceEntry = random.nextIntegerBelow(10) === 0;
  const action = isServiceEntry ? random.pick(serviceActions) : 'api_call';
  const message = {
    action,
    collection_id: collection.id,
    ...(isServiceEntry
      ? { actor: client.email, collection: collection.name }
      : {
          client_id: client.clientId,
          endpoint: `/v1/items/${random.nextIntegerBelow(500)}`,
          status_code: random.pick([200, 200, 404]),
        }),
  };
  return {
    id: random.nextUuid<EntryId>(),
    source: isServiceEntry ? 'system' : 'client',
    actorId: client.id,
    message: JSON.stringify(message),
    timestamp: toIso(instant),
    instant,
    receivedAt: instant,
    facets: { clientId: isServiceEntry ? null : client.clientId, collectionId: collection.id, action },
  };
};
