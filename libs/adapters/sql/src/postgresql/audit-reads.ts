import type { AuditReads } from '../audit-log.ts';
import { isOfOneStatement, readBatch, readLastSeq, readPage } from '../audit-pages.ts';
import type { Beside, Reading } from '../audit-pages.ts';
import type { Sql } from '../sql.ts';
import type { PostgresqlDatabase } from './postgresql-database.ts';

export const createPostgresqlAuditReads = (database: PostgresqlDatabase): AuditReads => ({
  page(filter, offset, limit) {
    const page = (sql: Sql) => worked(sql, readPage(filter, offset, limit, chosenByStatistics));
    // Page and total are of one moment; a transaction for that takes two more answers of the server.
    return isOfOneStatement(filter, offset, limit) ? page(database.reads) : database.snapshot(page);
  },
  lastSeq: () => worked(database.reads, readLastSeq()),
  batch: (filter, lastSeq, after, limit) =>
    worked(database.reads, readBatch(filter, lastSeq, after, limit, chosenByStatistics)),
});

/** PostgreSQL knows which of several indexes is the narrowest. */
const chosenByStatistics: Beside = (condition) => condition;

const worked = async <Answer>(sql: Sql, reading: Reading<Answer>): Promise<Answer> => {
  let step = reading.next();
  while (!step.done) {
    const { text, parameters } = step.value;
    step = reading.next(await sql.all(text, parameters));
  }
  return step.value;
};
