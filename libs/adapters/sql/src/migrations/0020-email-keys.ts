import { emailKey } from '@portico/domain';
import type { DialectSql, Fill } from './migration.ts';

/** What e-mails are compared by. A second profile of one mailbox has none. */
export const emailKeys: DialectSql = {
  sqlite: [
    'alter table profiles add column email_key text null',
    'create unique index profiles_email_key_unique on profiles (email_key)',
  ],
  postgresql: [
    'alter table profiles add column email_key text collate "C" null',
    'alter table profiles add constraint profiles_email_key_unique unique (email_key)',
  ],
};

const beyondAscii = {
  sqlite: (column: string) => `${column} glob '*[^ -~]*'`,
  postgresql: (column: string) => `${column} ~ '[^ -~]'`,
} as const;

/** Also composes (NFC) the names that are compared; one stays as it is where another has the composed one. */
export const fillEmailKeys: Fill = async (execute, dialect) => {
  const isForeign = beyondAscii[dialect];
  await execute(`update profiles set email_key = email where not (${isForeign('email')})`);
  const emails = `select id, email from profiles where ${isForeign('email')} order by created_at, id`;
  for (const { id, email } of await execute(emails)) {
    const key = emailKey(String(email));
    const isFree = 'not exists (select 1 from profiles p where p.email_key = ?)';
    await execute(`update profiles set email_key = ? where id = ? and ${isFree}`, [key, id, key]);
  }
  for (const { table, column, change, isTaken } of compared) {
    const names = `select distinct ${column} as name from ${table} where ${isForeign(column)}`;
    for (const { name } of await execute(names)) {
      const composed = String(name).normalize('NFC');
      const unless = isTaken === null ? '' : ` and not exists (select 1 from ${table} o where ${isTaken})`;
      const parameters = [composed, name, ...(isTaken === null ? [] : [composed])];
      if (composed !== name) await execute(`update ${table} set ${change} where ${column} = ?${unless}`, parameters);
    }
  }
};

const compared = [
  { table: 'access_groups', column: 'name', change: 'name = ?', isTaken: 'o.name = ?' },
  {
    table: 'claimed_groups',
    column: 'name',
    change: 'name = ?',
    isTaken: 'o.profile_id = claimed_groups.profile_id and o.name = ?',
  },
  // Composing changes no character of the JSON around the names.
  { table: 'profiles', column: 'claimed_groups', change: 'claimed_groups = ?', isTaken: null },
  { table: 'collections', column: 'name', change: 'revision = revision + 1, name = ?', isTaken: null },
] as const;
