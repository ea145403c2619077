import { claimedGroupsMax, composed, groupNameMax, isPlainLine } from '@portico/domain';

/**
 * Returns the group names of verified claims, sorted by code points, each once; null if no claim is configured. What
 * cannot be a group's name is left out.
 */
export const groupsOf = (
  claims: Readonly<Record<string, unknown>>,
  claim: string | null,
): { readonly names: readonly string[] | null; readonly isAbsent: boolean; readonly isCut: boolean } => {
  if (claim === null) return { names: null, isAbsent: true, isCut: false };
  const value = claims[claim] === undefined || !Object.hasOwn(claims, claim) ? atPath(claims, claim) : claims[claim];
  const names = [value]
    .flat()
    .filter((name) => typeof name === 'string')
    .map((name) => composed(name).trim())
    .filter(isGroupName);
  const sorted = [...new Set(names)].sort(byCodePoints);
  const isAbsent = value === undefined || value === null;
  return { names: sorted.slice(0, claimedGroupsMax), isAbsent, isCut: sorted.length > claimedGroupsMax };
};

const isGroupName = (name: string): boolean => name !== '' && [...name].length <= groupNameMax && isPlainLine(name);

/** Follows own members only, so that no name reaches a prototype. */
const atPath = (claims: object, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    return (value as Readonly<Record<string, unknown>>)[name];
  }, claims);

/** UTF-8 sorts as code points do; UTF-16 does not. */
const byCodePoints = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
