import { requireScope, type Principal, type Scope } from '@portico/domain';
import { z } from 'zod';
import type { RouteRow } from '../route.ts';

/**
 * Returns the scopes that a query needs in addition to its route's. They are checked before the query is validated: 403
 * comes before 400.
 */
export const scopesOfQuery = ({ scopedParts = [] }: Pick<RouteRow, 'scopedParts'>, url: string): readonly Scope[] => {
  const start = url.indexOf('?');
  if (scopedParts.length === 0 || start === -1) return [];
  const parameters = new URLSearchParams(url.slice(start + 1));
  const hasWord = (parameter: string, word: string): boolean =>
    parameters.getAll(parameter).some((value) => value.split(',').some((entry) => entry.trim() === word));
  return scopedParts.flatMap((part) => ('word' in part && hasWord(part.parameter, part.word) ? [part.scope] : []));
};

/** Returns the scopes that the members of a body need. A member that counts as absent needs no scope. */
export const scopesOfBody = (
  { scopedParts = [], body }: Pick<RouteRow, 'scopedParts' | 'body'>,
  value: Readonly<Record<string, unknown>>,
): readonly Scope[] => {
  if (scopedParts.length === 0 || !body || body.kind === 'form' || !(body.fields instanceof z.ZodObject)) return [];
  const shape = body.fields.shape as Readonly<Record<string, z.ZodType>>;
  const hasMember = (member: string): boolean => {
    const result = shape[member]?.safeParse(value[member]);
    return result !== undefined && (!result.success || result.data !== undefined);
  };
  return scopedParts.flatMap((part) => ('member' in part && hasMember(part.member) ? [part.scope] : []));
};

/** Throws `scope_required` for a service account that lacks one of these scopes. */
export const requireScopes = (principal: Principal, scopes: readonly Scope[]): void => {
  for (const scope of scopes) requireScope(principal, scope);
};
