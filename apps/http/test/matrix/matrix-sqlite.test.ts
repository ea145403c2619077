import { matrixSuite } from './matrix-suite.ts';
import { startOnMemory } from './start-on-memory.ts';
import { startComposed } from './start-composed.ts';

matrixSuite(startComposed(), startOnMemory);
