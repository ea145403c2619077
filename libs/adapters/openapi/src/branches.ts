import { isJsonObject, type Json, type JsonObject } from '@portico/domain';
import { hasType, listed, sameJson, typeFault } from './json-values.ts';
import type { Schema, SchemaObject } from './schema.ts';

/** What remains of a `oneOf`: one branch to check the value against, several, or a fault common to all. */
export type Choice =
  | { readonly branch: Schema }
  | { readonly open: readonly Schema[] }
  | { readonly fault: string; readonly at: readonly string[] };

/** The names that a schema requires. */
export const required = (schema: SchemaObject): readonly string[] => schema.required ?? [];

/**
 * Drops the branches of a `oneOf` that the value evidently does not mean: those of another type; references if there is
 * no `$ref`, and all others if there is one; those with another value of the member that tells the branches apart.
 * Never drops a branch that the value fits, so the verdict stays the same.
 */
export function chooseBranch(
  branches: readonly Schema[],
  value: Json,
  resolved: (branch: Schema) => SchemaObject,
): Choice {
  const ofType = branches.filter((branch) =>
    typesOf(resolved(branch)).every((types) => types.some((one) => hasType(one, value))),
  );
  if (ofType.length === 0) {
    const types = branches.flatMap((branch) => typesOf(resolved(branch)).flat());
    return { fault: typeFault([...new Set(types)], value) ?? 'fits none of the forms', at: [] };
  }
  if (!isJsonObject(value)) return narrowed(ofType);

  const isReference = (branch: Schema) => required(resolved(branch)).includes('$ref');
  const open = ofType.some(isReference)
    ? ofType.filter((branch) => isReference(branch) === isMeantAsReference(value))
    : ofType;
  if (open.length < 2) return narrowed(open);

  const byMember = chooseByMember(open, value, resolved);
  if (byMember) return byMember;
  const present = open.filter((branch) => required(resolved(branch)).every((name) => Object.hasOwn(value, name)));
  return present.length > 0 ? narrowed(present) : { open };
}

/** An object named `$ref` is not a reference: a callback may name its expressions freely. */
const isMeantAsReference = (value: JsonObject): boolean =>
  Object.hasOwn(value, '$ref') && !isJsonObject(value['$ref'] ?? null);

const narrowed = (open: readonly Schema[]): Choice => {
  const [only] = open;
  return open.length === 1 && only !== undefined ? { branch: only } : { open };
};

const typesOf = ({ type }: SchemaObject): readonly (readonly string[])[] =>
  type === undefined ? [] : [typeof type === 'string' ? [type] : type];

/** Chooses by the member for which each branch lists other values, such as a parameter's `in`. */
function chooseByMember(
  open: readonly Schema[],
  value: JsonObject,
  resolved: (branch: Schema) => SchemaObject,
): Choice | null {
  const name = Object.keys(resolved(open[0] ?? {}).properties ?? {}).find((one) => tellsApart(one, open.map(resolved)));
  if (name === undefined) return null;
  if (!Object.hasOwn(value, name)) return { fault: `must have property '${name}'`, at: [] };
  const fits = (branch: Schema) => valuesOf(resolved(branch), name).some((one) => sameJson(one, value[name] ?? null));
  const fitting = open.filter(fits);
  if (fitting.length > 0) return narrowed(fitting);
  return { fault: `must be one of ${listed(open.flatMap((branch) => valuesOf(resolved(branch), name)))}`, at: [name] };
}

function tellsApart(name: string, branches: readonly SchemaObject[]): boolean {
  const values = branches.map((branch) => valuesOf(branch, name));
  return values.every((one) => one.length > 0) && new Set(values.flat()).size === values.flat().length;
}

function valuesOf(branch: SchemaObject, name: string): readonly Json[] {
  const properties = branch.properties ?? {};
  const member = Object.hasOwn(properties, name) ? properties[name] : undefined;
  return typeof member === 'object' ? (member.enum ?? []) : [];
}
