import { describe } from 'vitest';
import type { Start } from '../subject.ts';
import { argumentsSuite } from './arguments-suite.ts';
import { callsOffSuite } from './calls-off-suite.ts';
import { failuresSuite } from './failures-suite.ts';
import { reflectionsSuite } from './reflections-suite.ts';

/** Runs all tests of calls to hostile APIs. */
export const allCalls = (start: Start): void => {
  describe('reflected secrets', () => reflectionsSuite(start));
  describe('hostile arguments', () => argumentsSuite(start));
  describe('calls that are off', () => callsOffSuite(start));
  describe('failures', () => failuresSuite(start));
};
