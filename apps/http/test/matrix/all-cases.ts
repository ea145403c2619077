import {
  conflictCases,
  discretionCases,
  faultCases,
  methodCases,
  missingCases,
  otherClientCases,
  unknownPathCases,
} from './generated-cases.ts';
import { sampleOf, type MatrixCase } from './matrix-case.ts';
import { matrixCases } from './matrix-cases.ts';
import { scopeCases } from './scope-cases.ts';
import { headCases, ignoredBodyCases, ignoredParameterCases, slashCases } from './twin-cases.ts';

/** By group. */
export type CasesByGroup = Readonly<Record<string, readonly MatrixCase[]>>;

export const allCases: CasesByGroup = {
  'every endpoint with every kind of caller': matrixCases,
  'a refused caller learns nothing': [...discretionCases, ...otherClientCases],
  'parts that take a further scope': scopeCases,
  'missing objects': missingCases,
  'invalid requests': faultCases,
  conflicts: conflictCases,
  'methods and paths': [...methodCases, ...unknownPathCases],
  'equivalent requests': [...slashCases, ...ignoredBodyCases, ...ignoredParameterCases, ...headCases],
};

/**
 * A fifth of the cases, for one more backend: each endpoint with each of its outcomes for each kind of credential, each
 * caller with each of its outcomes, and every case that is not about callers. What a caller may do is decided before
 * the stores are asked, so the cases left out differ in nothing that a backend could get wrong.
 */
export const sampledCases: CasesByGroup = Object.fromEntries(
  Object.entries(allCases).map(([group, cases]) => [group, sampleOf(cases)]),
);
