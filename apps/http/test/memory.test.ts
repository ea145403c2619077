import { describe } from 'vitest';
import { profilesSuite } from './journeys/profiles.ts';
import { startInMemory } from './start-in-memory.ts';

describe('profiles', () => profilesSuite(startInMemory));
