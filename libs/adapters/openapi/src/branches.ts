import { isJsonObject, type Json, type JsonObject } from '@portico/domain';
import { hasType, listed, sameJson, typeFault } from './json-values.ts';
import type { Schema, SchemaObject } from './schema.ts';

/**
 * The remaining branches of a `oneOf`: one to check the value against, several candidates, or a fault that all share.
 */
export type Choice =
  | { readonly branch: Schema }
  | { readonly candidates: readonly Schema[] }
  | { readonly fault: string; readonly at: readonly string[] };

/** Returns the property names that a schema requires. */
export const required = (schema: SchemaObject): readonly string[] => schema.required ?? [];

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
  const sameType = branches.filter((branch) =>
    typesOf(resolve(branch)).every((types) => types.some((one) => hasType(one, value))),
  );
  if (sameType.length === 0) {
    const types = branches.flatMap((branch) => typesOf(resolve(branch)).flat());
    return { fault: typeFault([...new Set(types)], value) ?? 'fits none of the forms', at: [] };
  }
  if (!isJsonObject(value)) return toChoice(sameType);

  const isReference = (branch: Schema) => required(resolve(branch)).includes('$ref');
  const candidates = sameType.some(isReference)
    ? sameType.filter((branch) => isReference(branch) === isReferenceObject(value))
    : sameType;
  if (candidates.length < 2) return toChoice(candidates);

  const byMember = chooseByMember(candidates, value, resolve);
  if (byMember) return byMember;
  const present = candidates.filter((branch) => required(resolve(branch)).every((name) => Object.hasOwn(value, name)));
  return present.length > 0 ? toChoice(present) : { candidates };
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
  const name = Object.keys(resolve(candidates[0] ?? {}).properties ?? {}).find((one) =>
    isDiscriminator(one, candidates.map(resolve)),
  );
  if (name === undefined) return null;
  if (!Object.hasOwn(value, name)) return { fault: `must have property '${name}'`, at: [] };
  const fits = (branch: Schema) => valuesOf(resolve(branch), name).some((one) => sameJson(one, value[name] ?? null));
  const matching = candidates.filter(fits);
  if (matching.length > 0) return toChoice(matching);
  return {
    fault: `must be one of ${listed(candidates.flatMap((branch) => valuesOf(resolve(branch), name)))}`,
    at: [name],
  };
}

function isDiscriminator(name: string, branches: readonly SchemaObject[]): boolean {
  const values = branches.map((branch) => valuesOf(branch, name));
  return values.every((one) => one.length > 0) && new Set(values.flat()).size === values.flat().length;
}

function valuesOf(branch: SchemaObject, name: string): readonly Json[] {
  const properties = branch.properties ?? {};
  const member = Object.hasOwn(properties, name) ? properties[name] : undefined;
  return typeof member === 'object' ? (member.enum ?? []) : [];
}
