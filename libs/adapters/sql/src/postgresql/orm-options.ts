import type { Options } from '@mikro-orm/postgresql';
import { entities } from '../entities.ts';
import { migrationsTable } from '../migrations/index.ts';
import { tableOnPostgresql } from './tables.ts';

/** Databases are made by whoever runs the server, never by the way. */
export const ormOptions = (dbName: string): Options => ({
  dbName,
  entities,
  ensureDatabase: false,
  schemaGenerator: { skipTables: [migrationsTable] },
  discovery: { onMetadata: tableOnPostgresql },
});
