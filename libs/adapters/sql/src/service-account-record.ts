import { toNameKey, type AccountState, type Scope, type ServiceAccount, scopesOf } from '@portico/domain';
import { ServiceAccountEntity } from './entities/service-account-entity.ts';
import { secretColumns, secretsOf } from './profile-record.ts';
import { columnsOf, insertInto, type Row, updateOf, omitNames } from './table.ts';

type ServiceAccountRow = Row<typeof ServiceAccountEntity>;

const allColumns = columnsOf(ServiceAccountEntity);
export const accountColumns = omitNames(allColumns, 'nameKey', ...secretColumns);
export const accountStateColumns = omitNames(allColumns, 'nameKey');

export type AccountColumns = Pick<ServiceAccountRow, (typeof accountColumns)[number]>;
export type AccountStateColumns = Pick<ServiceAccountRow, (typeof accountStateColumns)[number]>;

export const insertAccount = insertInto(ServiceAccountEntity, allColumns);
export const updateAccount = updateOf(ServiceAccountEntity, 'id', omitNames(allColumns, 'id'));

export const accountOf = (row: AccountColumns): ServiceAccount => ({
  id: row.id,
  name: row.name,
  // Ignores scopes that this version does not know.
  scopes: scopesOf(row.scopes.split(' ') as readonly Scope[]),
  expiresAt: row.expiresAt,
  createdBy: row.createdBy,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
});

export const accountStateOf = (row: AccountStateColumns): AccountState => ({
  account: accountOf(row),
  key: secretsOf(row),
});

/** Returns the row of an account. A null key clears the columns of the key. */
export const toAccountRow = ({ account, key }: AccountState): ServiceAccountRow => ({
  ...account,
  nameKey: toNameKey(account.name),
  scopes: account.scopes.join(' '),
  keyHash: key?.current.hash ?? null,
  keyTag: key?.current.tag ?? null,
  previousHash: key?.previous?.hash ?? null,
  previousTag: key?.previous?.tag ?? null,
  previousUntil: key?.previous?.until ?? null,
});
