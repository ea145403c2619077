import { describe } from 'vitest';
import { startInMemory } from '../start-in-memory.ts';
import { accessSuite } from './access-suite.ts';
import { clientsSuite } from './clients-suite.ts';
import { namesakesSuite } from './namesakes-suite.ts';
import { operationsSuite } from './operations-suite.ts';
import { rulesSuite } from './rules-suite.ts';
import { countingSuite, protocolSuite } from './protocol-suite.ts';

describe('official clients', () => clientsSuite(startInMemory));
describe('access', () => accessSuite(startInMemory));
describe('operations', () => operationsSuite(startInMemory));
describe('rules of grants', () => rulesSuite(startInMemory));
describe('APIs with the same name', () => namesakesSuite(startInMemory));
describe('the protocol', () => protocolSuite(startInMemory));
describe('counting', () => countingSuite(startInMemory));
