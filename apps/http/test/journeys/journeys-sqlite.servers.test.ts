import { startComposed } from '../start-composed.ts';
import { journeysOverStores } from './journeys.ts';

journeysOverStores(startComposed());
