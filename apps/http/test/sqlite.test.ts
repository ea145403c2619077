import { describe } from 'vitest';
import { accessSuite } from './journeys/access.ts';
import { auditSuite } from './journeys/audit.ts';
import { collectionsSuite } from './journeys/collections.ts';
import { documentFactsSuite } from './journeys/document-facts.ts';
import { demandedTokensSuite, identitiesSuite, ignoredTokensSuite } from './journeys/identities.ts';
import { inputSuite } from './journeys/input.ts';
import { limitsSuite, strangersSuite } from './journeys/limits.ts';
import { profilesSuite } from './journeys/profiles.ts';
import { refusalsSuite } from './journeys/refusals.ts';
import { searchSuite } from './journeys/search.ts';
import { startComposed } from './start-composed.ts';

const startOnSqlite = startComposed();

describe('profiles', () => profilesSuite(startOnSqlite));
describe('identities', () => identitiesSuite(startOnSqlite));
describe('a registration that requires a token', () => demandedTokensSuite(startOnSqlite));
describe('a registration that ignores tokens', () => ignoredTokensSuite(startOnSqlite));
describe('collections', () => collectionsSuite(startOnSqlite));
describe('facts derived from documents', () => documentFactsSuite(startOnSqlite));
describe('access', () => accessSuite(startOnSqlite));
describe('audit', () => auditSuite(startOnSqlite));
describe('input', () => inputSuite(startOnSqlite));
describe('limits', () => limitsSuite(startOnSqlite));
describe('strangers', () => strangersSuite(startOnSqlite));
describe('search', () => searchSuite(startOnSqlite));
describe('refusals', () => refusalsSuite(startOnSqlite));
