import {
  dayMs,
  type Collection,
  type CollectionId,
  type Instant,
  type ProfileId,
  type ReadDocument,
} from '@portico/domain';
import type { Dice } from './dice.ts';

const things =
  'weather payment invoice parcel hotel flight currency map message mail translation speech image calendar contact ticket payroll stock news recipe sign identity device music video order search report pupil Ölpreis'.split(
    ' ',
  );
const makers = 'Tonwire Nordlicht Harbour Paketa Vela Ånge Quill Sable Tern Umbra Vesper Wharf'.split(' ');
const kinds = ['API', 'service', 'gateway', 'events', 'reports'] as const;

/** How many different documents there are: reading one takes longer than storing it. */
const documentCount = 300;

/** Documents of 3 to 12 operations each, as small services have them. */
export const documentTexts = (dice: Dice, collections: number): readonly string[] =>
  Array.from({ length: Math.min(documentCount, collections) }, () => JSON.stringify(oneDocument(dice)));

const oneDocument = (dice: Dice): object => {
  const thing = dice.one(things);
  const operation = (verb: string) => ({
    operationId: `${verb}${thing}${dice.below(1_000)}`,
    summary: `${verb === 'list' ? 'List' : 'Read'} the ${thing} of a ${dice.one(things)}`,
    tags: [thing],
    responses: { 200: { description: `The ${thing}` } },
  });
  const paths = Array.from({ length: 3 + dice.below(10) }, (_, at) => [
    `/${plainOf(thing)}/${at}`,
    { get: operation(at % 2 ? 'read' : 'list') },
  ]);
  return {
    openapi: '3.0.3',
    info: {
      title: `${thing} API`,
      version: '1.0.0',
      description: `Everything about ${thing}s and what belongs to them.`,
    },
    servers: [{ url: `https://${plainOf(thing)}.example.com/v1` }],
    paths: Object.fromEntries(paths) as object,
    ...(dice.below(2) ? { security: [{ key: [] }], components: keyComponents } : {}),
  };
};

const keyComponents = { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Api-Key' } } };

const plainOf = (thing: string): string =>
  thing
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z]/g, '');

export const makeCollection = (
  dice: Dice,
  at: number,
  { digest, baseUrl, authentication }: ReadDocument,
  createdBy: ProfileId,
  now: Instant,
): Collection => {
  const thing = dice.one(things);
  const createdAt = now - dice.below(600 * dayMs);
  return {
    id: dice.uuid<CollectionId>(),
    name: `${dice.one(makers)} ${thing} ${dice.one(kinds)} ${at}`,
    description: `What ${dice.one(makers)} offers about ${thing}s: reading, searching and changing them, for partners and for our own teams.`,
    createdBy,
    createdAt,
    updatedAt: createdAt + dice.below(10 * dayMs),
    revision: 1 + dice.below(9),
    contentRevision: 1,
    documentDigest: digest,
    descriptionDerived: false,
    baseUrl,
    derivedAuthentication: authentication,
    storedAuthentication: null,
    discoverable: dice.below(3) === 0,
    importKey: null,
  };
};
