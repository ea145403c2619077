import { describe } from 'vitest';
import { badInputSuite } from './journeys/bad-input.ts';
import { startInMemory } from './start-in-memory.ts';
import { startComposed } from './start-composed.ts';

describe('bad input, in memory', () => badInputSuite(startInMemory));
describe('bad input, on SQLite', () => badInputSuite(startComposed()));
