import { refuseUnscoped, type Principal, type Scope } from '@portico/domain';
import { z } from 'zod';
import type { RouteRow } from '../route.ts';

/** The scopes that a query asks for besides that of its route. Judged before the query is: 403 comes before 400. */
export const scopesOfQuery = ({ scopedParts = [] }: Pick<RouteRow, 'scopedParts'>, url: string): readonly Scope[] => {
  const start = url.indexOf('?');
  if (scopedParts.length === 0 || start === -1) return [];
  const given = new URLSearchParams(url.slice(start + 1));
  const asks = (parameter: string, word: string): boolean =>
    given.getAll(parameter).some((value) => value.split(',').some((one) => one.trim() === word));
  return scopedParts.flatMap((part) => ('word' in part && asks(part.parameter, part.word) ? [part.scope] : []));
};

/** The same of the members of a body; one that counts as absent asks for nothing. */
export const scopesOfBody = (
  { scopedParts = [], body }: Pick<RouteRow, 'scopedParts' | 'body'>,
  value: Readonly<Record<string, unknown>>,
): readonly Scope[] => {
  if (scopedParts.length === 0 || !body || body.kind === 'form' || !(body.fields instanceof z.ZodObject)) return [];
  const shape = body.fields.shape as Readonly<Record<string, z.ZodType>>;
  const has = (member: string): boolean => {
    const read = shape[member]?.safeParse(value[member]);
    return read !== undefined && (!read.success || read.data !== undefined);
  };
  return scopedParts.flatMap((part) => ('member' in part && has(part.member) ? [part.scope] : []));
};

/** Throws `scope_required` for a service account that lacks one of these scopes. */
export const refuseLacking = (principal: Principal, scopes: readonly Scope[]): void => {
  for (const scope of scopes) refuseUnscoped(principal, scope);
};
