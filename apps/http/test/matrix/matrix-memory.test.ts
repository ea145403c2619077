import { matrixSuite } from './matrix-suite.ts';
import { startOnMemory } from './start-on-memory.ts';

matrixSuite(startOnMemory);
