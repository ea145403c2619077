import { startComposed } from '../start-composed.ts';
import { allCalls } from './calls.ts';

allCalls(startComposed());
