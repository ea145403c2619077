import type { OneTimeCode, OneTimeCodeStore } from '@portico/domain';
import { OneTimeCodeEntity } from './entities/one-time-code-entity.ts';
import type { SqlDatabase } from './sql.ts';
import { buildColumns, columnsOf, insertInto, write } from './table.ts';

export const createSqlOneTimeCodeStore = (database: SqlDatabase): OneTimeCodeStore => ({
  put: (code, now) =>
    database.write(async (sql) => {
      await sql.run(deleteExpired, [now]);
      await write(sql, insert, code);
    }),

  take: (digest, purpose, now) =>
    database.write(async (sql) => {
      const code = await sql.first<OneTimeCode>(select, [digest, purpose, now]);
      // Concurrent processes may all have read the code: the count shows which one deleted it.
      const deletedCount = code ? await sql.run(deleteOne, [digest, purpose]) : 0;
      return code && deletedCount === 1 ? code : null;
    }),
});

const columnNames = columnsOf(OneTimeCodeEntity);
const insert = insertInto(OneTimeCodeEntity, columnNames);
const select = `select ${buildColumns('c', columnNames)} from one_time_codes c
  where c.digest = ? and c.purpose = ? and c.expires_at > ?`;
const deleteOne = 'delete from one_time_codes where digest = ? and purpose = ?';
const deleteExpired = 'delete from one_time_codes where expires_at <= ?';
