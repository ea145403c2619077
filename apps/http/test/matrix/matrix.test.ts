import { describe } from 'vitest';
import { sampledCases } from './all-cases.ts';
import { matrixSuite } from './matrix-suite.ts';
import { createRecordedService } from './recorded-service.ts';
import { startComposed } from './start-composed.ts';
import { startOnMemory } from './start-on-memory.ts';

const memory = createRecordedService(startOnMemory);
const sqlite = createRecordedService(startComposed());

describe('in memory', () => matrixSuite(memory));
describe('on SQLite', () => matrixSuite(sqlite, { cases: sampledCases, reference: memory }));
