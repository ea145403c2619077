import { startOnMemory } from '../matrix/start-on-memory.ts';
import { deadlineSuite } from './deadline-suite.ts';

deadlineSuite(startOnMemory, () => true);
