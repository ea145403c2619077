import { describe } from 'vitest';
import { startComposed } from '../start-composed.ts';
import { clientsSuite } from './clients-suite.ts';
import { operationsSuite } from './operations-suite.ts';
import { countingSuite, protocolSuite } from './protocol-suite.ts';

const startOnSqlite = startComposed();

describe('official clients', () => clientsSuite(startOnSqlite));
describe('operations', () => operationsSuite(startOnSqlite));
describe('the protocol', () => protocolSuite(startOnSqlite));
describe('counting', () => countingSuite(startOnSqlite));
