import type { Database as Connection, Statement as PreparedStatement } from 'better-sqlite3';
import type { AuditFilter } from '@portico/domain';
import type { AuditReads } from '../audit-log.ts';
import { readBatch, readLastSeq, readPage } from '../audit-pages.ts';
import type { Beside, Reading, Statement } from '../audit-pages.ts';

export const createSqliteAuditReads = (reader: Connection): AuditReads => {
  const statements = new Map<string, PreparedStatement<unknown[]>>();
  const rowsOf = ({ text, parameters }: Statement): unknown[] => {
    const statement = statements.get(text) ?? reader.prepare<unknown[]>(text);
    statements.set(text, statement);
    return statement.all(...parameters);
  };
  const work = <Answer>(reading: Reading<Answer>): Answer => {
    let step = reading.next();
    while (!step.done) step = reading.next(rowsOf(step.value));
    return step.value;
  };
  // In one transaction, so that page and total are of one moment.
  const page = reader.transaction((filter: AuditFilter, offset: number, limit: number) =>
    work(readPage(filter, offset, limit, withoutIndex)),
  );

  return {
    page: async (filter, offset, limit) => page(filter, offset, limit),
    lastSeq: async () => work(readLastSeq()),
    batch: async (filter, lastSeq, after, limit) => work(readBatch(filter, lastSeq, after, limit, withoutIndex)),
  };
};

/** A plus keeps SQLite from the condition's index: it cannot tell which index is the narrowest. */
const withoutIndex: Beside = (condition) => `+${condition}`;
