import { claimedGroupsMax, toNfc, groupNameMax, isPlainLine } from '@portico/domain';

/**
 * Returns the distinct group names of verified claims, sorted by code points; null if no claim is configured. Values
 * that are not valid group names are omitted.
 */
export const groupsOf = (
  claims: Readonly<Record<string, unknown>>,
  claim: string | null,
): { readonly names: readonly string[] | null; readonly isAbsent: boolean; readonly isTruncated: boolean } => {
  if (claim === null) return { names: null, isAbsent: true, isTruncated: false };
  const value =
    claims[claim] === undefined || !Object.hasOwn(claims, claim) ? getValueAtPath(claims, claim) : claims[claim];
  const names = [value]
    .flat()
    .filter((name) => typeof name === 'string')
    .map((name) => toNfc(name).trim())
    .filter(isGroupName);
  const sorted = [...new Set(names)].sort(compareCodePoints);
  const isAbsent = value === undefined || value === null;
  return { names: sorted.slice(0, claimedGroupsMax), isAbsent, isTruncated: sorted.length > claimedGroupsMax };
};

const isGroupName = (name: string): boolean => name !== '' && [...name].length <= groupNameMax && isPlainLine(name);

/** Returns the value at the path. Follows own properties only, so that no name can reach a prototype. */
const getValueAtPath = (claims: object, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    return (value as Readonly<Record<string, unknown>>)[name];
  }, claims);

/** Compares UTF-8 bytes, which sort in code point order; UTF-16 code units do not. */
const compareCodePoints = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
