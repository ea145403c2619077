import { describe } from 'vitest';
import { startComposed } from '../matrix/start-composed.ts';
import { startOnMemory } from '../matrix/start-on-memory.ts';
import { lateBodiesSuite } from './late-bodies-suite.ts';

describe('in memory', () => lateBodiesSuite(startOnMemory));
describe('on SQLite', () => lateBodiesSuite(startComposed()));
