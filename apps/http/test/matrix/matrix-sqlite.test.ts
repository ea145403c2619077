import { matrixSuite } from './matrix-suite.ts';
import { startOnMemory } from './start-on-memory.ts';
import { startOnSqlite } from './start-on-sqlite.ts';

matrixSuite(startOnSqlite, startOnMemory);
