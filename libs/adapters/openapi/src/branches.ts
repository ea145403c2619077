import { isJsonObject, type Json, type JsonObject } from '@portico/domain';
import { hasType, formatList, isSameJson, findTypeFault } from './json-values.ts';
import type { Schema, SchemaObject } from './schema.ts';

/**
 * The remaining branches of a `oneOf`: one to check the value against, several candidates, or a fault that all share.
 */
export type Choice =
  | { readonly branch: Schema }
  | { readonly candidates: readonly Schema[] }
  | { readonly fault: string; readonly path: readonly string[] };

/** Returns the property names that a schema requires. */
export const requiredNamesOf = (schema: SchemaObject): readonly string[] => schema.required ?? [];

/**
 * Drops the branches of a `oneOf` that the value is evidently not intended for: branches of a different type;
 * references if there is no `$ref`, or all other branches if there is one; and branches with a different value for the
 * member that discriminates between them. Never drops a branch that the value fits, so the validation result does not
 * change.
 */
export function chooseBranch(
  branches: readonly Schema[],
  value: Json,
  resolve: (branch: Schema) => SchemaObject,
): Choice {
  const branchesOfType = branches.filter((branch) =>
    typesOf(resolve(branch)).every((types) => types.some((type) => hasType(type, value))),
  );
  if (branchesOfType.length === 0) {
    const types = branches.flatMap((branch) => typesOf(resolve(branch)).flat());
    return { fault: findTypeFault([...new Set(types)], value) ?? 'matches none of the forms', path: [] };
  }
  if (!isJsonObject(value)) return toChoice(branchesOfType);

  const isReference = (branch: Schema) => requiredNamesOf(resolve(branch)).includes('$ref');
  const candidates = branchesOfType.some(isReference)
    ? branchesOfType.filter((branch) => isReference(branch) === isReferenceObject(value))
    : branchesOfType;
  if (candidates.length < 2) return toChoice(candidates);

  const memberChoice = chooseByMember(candidates, value, resolve);
  if (memberChoice) return memberChoice;
  const completeCandidates = candidates.filter((branch) =>
    requiredNamesOf(resolve(branch)).every((name) => Object.hasOwn(value, name)),
  );
  return completeCandidates.length > 0 ? toChoice(completeCandidates) : { candidates };
}

/** A `$ref` whose value is an object is not a reference: a callback's expressions can have any name. */
const isReferenceObject = (value: JsonObject): boolean =>
  Object.hasOwn(value, '$ref') && !isJsonObject(value['$ref'] ?? null);

const toChoice = (candidates: readonly Schema[]): Choice => {
  const [branch] = candidates;
  return candidates.length === 1 && branch !== undefined ? { branch } : { candidates };
};

const typesOf = ({ type }: SchemaObject): readonly (readonly string[])[] =>
  type === undefined ? [] : [typeof type === 'string' ? [type] : type];

/** Chooses by a member that has different values in each branch, such as a parameter's `in`. */
function chooseByMember(
  candidates: readonly Schema[],
  value: JsonObject,
  resolve: (branch: Schema) => SchemaObject,
): Choice | null {
  const name = Object.keys(resolve(candidates[0] ?? {}).properties ?? {}).find((memberName) =>
    isDiscriminator(memberName, candidates.map(resolve)),
  );
  if (name === undefined) return null;
  if (!Object.hasOwn(value, name)) return { fault: `must have property '${name}'`, path: [] };
  const matchesMember = (branch: Schema) =>
    valuesOf(resolve(branch), name).some((candidateValue) => isSameJson(candidateValue, value[name] ?? null));
  const matchingCandidates = candidates.filter(matchesMember);
  if (matchingCandidates.length > 0) return toChoice(matchingCandidates);
  return {
    fault: `must be one of ${formatList(candidates.flatMap((branch) => valuesOf(resolve(branch), name)))}`,
    path: [name],
  };
}

function isDiscriminator(name: string, branches: readonly SchemaObject[]): boolean {
  const values = branches.map((branch) => valuesOf(branch, name));
  return (
    values.every((branchValues) => branchValues.length > 0) && new Set(values.flat()).size === values.flat().length
  );
}

function valuesOf(branch: SchemaObject, name: string): readonly Json[] {
  const properties = branch.properties ?? {};
  const member = Object.hasOwn(properties, name) ? properties[name] : undefined;
  return typeof member === 'object' ? (member.enum ?? []) : [];
}
