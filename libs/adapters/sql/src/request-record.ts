import type { AccessRequest } from '@portico/domain';
import { AccessRequestEntity } from './entities/access-entities.ts';
import type { Sql } from './sql.ts';
import { columnsOf, insertInto, updateOf, writeEach } from './table.ts';

export const requestColumns = columnsOf(AccessRequestEntity);

export const insertRequest = insertInto(AccessRequestEntity, requestColumns);
const updateRequest = updateOf(AccessRequestEntity, 'id', ['status', 'decidedAt', 'answer']);

/** Stores the decisions about requests. */
export const writeDecisions = (sql: Sql, requests: readonly AccessRequest[] = []): Promise<void> =>
  writeEach(sql, updateRequest, requests);
