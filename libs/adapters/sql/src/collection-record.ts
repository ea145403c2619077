import {
  activeLifecycle,
  type ChangePolicy,
  type Collection,
  type CollectionHead,
  emptyChangePolicy,
  type Lifecycle,
  toNameKey,
} from '@portico/domain';
import { CollectionEntity } from './entities/collection-entities.ts';
import { columnsOf, insertInto, type Row, updateOf, omitNames } from './table.ts';

type CollectionRow = Row<typeof CollectionEntity>;

export const lifecycleColumns = [
  'lifecycle',
  'lifecycleSince',
  'lifecycleSunset',
  'lifecycleSuccessor',
  'lifecycleText',
] as const satisfies readonly (keyof CollectionRow)[];

/** The columns that responses include. They are small even if the document is large. */
export const headColumns = [
  'id',
  'name',
  'description',
  'createdBy',
  'createdAt',
  'updatedAt',
  'revision',
  'documentDigest',
  'originalVersion',
  'originalDigest',
  'originalFor',
  ...lifecycleColumns,
  'tags',
] as const satisfies readonly (keyof CollectionRow)[];

/** Excludes the digest of the operations, which `OperationStore` reads and writes. */
export const collectionColumns = omitNames(columnsOf(CollectionEntity), 'nameKey', 'tagKeys', 'operationsDigest');

export type CollectionColumns = Omit<CollectionRow, 'nameKey' | 'tagKeys' | 'operationsDigest'>;

export type LifecycleColumns = Pick<CollectionRow, (typeof lifecycleColumns)[number]>;

const writtenColumns = omitNames(columnsOf(CollectionEntity), 'operationsDigest');

export const insertCollection = insertInto(CollectionEntity, writtenColumns);
export const updateCollection = updateOf(CollectionEntity, 'id', omitNames(writtenColumns, 'id'));

export const headOf = (row: CollectionColumns): CollectionHead => ({
  id: row.id,
  name: row.name,
  description: row.description,
  createdBy: row.createdBy,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
  revision: row.revision,
  documentDigest: row.documentDigest,
  original:
    row.originalVersion !== null && row.originalDigest !== null && row.originalFor === row.documentDigest
      ? { version: row.originalVersion, digest: row.originalDigest }
      : null,
  lifecycle: lifecycleOf(row),
  tags: tagsOf(row),
});

export const tagsOf = ({ tags }: Pick<CollectionRow, 'tags'>): readonly string[] =>
  tags === '[]' ? [] : (JSON.parse(tags) as string[]);

export const lifecycleOf = (row: LifecycleColumns): Lifecycle =>
  row.lifecycle === 'active'
    ? activeLifecycle
    : {
        state: row.lifecycle,
        since: row.lifecycleSince,
        sunset: row.lifecycleSunset,
        successor: row.lifecycleSuccessor,
        text: row.lifecycleText,
      };

export const collectionOf = (row: CollectionColumns): Collection => ({
  ...headOf(row),
  contentRevision: row.contentRevision,
  // SQLite stores a boolean as 0 or 1.
  descriptionDerived: Boolean(row.descriptionDerived),
  baseUrl: row.baseUrl,
  derivedAuthentication: { type: row.derivedType, name: row.derivedName, in: row.derivedIn },
  storedAuthentication: row.storedType && {
    type: row.storedType,
    name: row.storedName,
    in: row.storedIn,
    sealedValue: row.storedSealedValue,
    origins: originsIn(row.storedOrigins),
  },
  baseUrlSetting: row.baseUrlSetting,
  // Most collections have neither variables nor credentials.
  serverVariables: row.serverVariables === '{}' ? {} : (JSON.parse(row.serverVariables) as Record<string, string>),
  credentialSchemes: row.credentialSchemes === '[]' ? [] : (JSON.parse(row.credentialSchemes) as string[]),
  delivery: row.delivery,
  ownCredentials: Boolean(row.ownCredentials),
  discoverable: Boolean(row.discoverable),
  importKey: row.importKey,
  ownerGroup: row.ownerGroup,
  changePolicy: row.changePolicy === null ? emptyChangePolicy : (JSON.parse(row.changePolicy) as ChangePolicy),
});

/** Returns the sort keys of the tags, each on its own line between line breaks, so that one can be found by a pattern. */
export const toTagKeys = (tags: readonly string[]): string =>
  tags.length === 0 ? '' : `\n${tags.map(toNameKey).join('\n')}\n`;

const toPolicyColumn = (policy: ChangePolicy): string | null =>
  Object.keys(policy.levels).length === 0 && policy.expected.length === 0 ? null : JSON.stringify(policy);

/** Parses the origins that a credential is bound to. */
export const originsIn = (json: string | null): readonly string[] | null =>
  json === null ? null : (JSON.parse(json) as string[]);

export const toOriginsColumn = (origins: readonly string[] | null | undefined): string | null =>
  origins ? JSON.stringify(origins) : null;

export const toCollectionRow = ({
  derivedAuthentication: authentication,
  storedAuthentication: credential,
  serverVariables,
  credentialSchemes,
  original,
  lifecycle,
  tags,
  changePolicy,
  ...attributes
}: Collection): Omit<CollectionRow, 'operationsDigest'> => ({
  ...attributes,
  nameKey: toNameKey(attributes.name),
  serverVariables: JSON.stringify(serverVariables),
  credentialSchemes: JSON.stringify(credentialSchemes),
  lifecycle: lifecycle.state,
  lifecycleSince: lifecycle.since,
  lifecycleSunset: lifecycle.sunset,
  lifecycleSuccessor: lifecycle.successor,
  lifecycleText: lifecycle.text,
  tags: JSON.stringify(tags),
  tagKeys: toTagKeys(tags),
  changePolicy: toPolicyColumn(changePolicy),
  originalVersion: original?.version ?? null,
  originalDigest: original?.digest ?? null,
  originalFor: original && attributes.documentDigest,
  derivedType: authentication.type,
  derivedName: authentication.name,
  derivedIn: authentication.in,
  storedType: credential?.type ?? null,
  storedName: credential?.name ?? null,
  storedIn: credential?.in ?? null,
  storedSealedValue: credential?.sealedValue ?? null,
  storedOrigins: toOriginsColumn(credential?.origins),
});
