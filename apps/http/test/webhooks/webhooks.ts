import { describe } from 'vitest';
import type { Start } from '../subject.ts';
import { deliveriesSuite } from './deliveries-suite.ts';
import { hostileSuite } from './hostile-suite.ts';

/** Runs all tests of deliveries to receivers. */
export const allWebhooks = (start: Start): void => {
  describe('deliveries', () => deliveriesSuite(start));
  describe('hostile receivers', () => hostileSuite(start));
};
