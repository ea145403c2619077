import {
  conflictCases,
  leakCases,
  faultCases,
  methodCases,
  missingCases,
  otherClientCases,
  unknownPathCases,
} from './generated-cases.ts';
import { sampleOf, type MatrixCase } from './matrix-case.ts';
import { matrixCases } from './matrix-cases.ts';
import { scopeCases } from './scope-cases.ts';
import { headCases, ignoredBodyCases, ignoredParameterCases, slashCases } from './equivalent-requests.ts';

/** The cases by group. */
export type CasesByGroup = Readonly<Record<string, readonly MatrixCase[]>>;

export const allCases: CasesByGroup = {
  'every endpoint with every kind of caller': matrixCases,
  'a rejected caller learns nothing': [...leakCases, ...otherClientCases],
  'parts that require an additional scope': scopeCases,
  'missing objects': missingCases,
  'invalid requests': faultCases,
  conflicts: conflictCases,
  'methods and paths': [...methodCases, ...unknownPathCases],
  'equivalent requests': [...slashCases, ...ignoredBodyCases, ...ignoredParameterCases, ...headCases],
};

/**
 * A fifth of the cases, for additional backends: each outcome of each endpoint with each kind of credential, each
 * outcome for each caller, and every case that is not about callers. A caller's rights are checked before the stores
 * are queried, so a backend cannot affect the omitted cases.
 */
export const sampledCases: CasesByGroup = Object.fromEntries(
  Object.entries(allCases).map(([group, cases]) => [group, sampleOf(cases)]),
);
