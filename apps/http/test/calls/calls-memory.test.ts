import { startInMemory } from '../start-in-memory.ts';
import { allCalls } from './calls.ts';

allCalls(startInMemory);
