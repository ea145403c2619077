import type { Json } from '@portico/domain';
import { hasType, isObject, listed, sameJson, typeFault, type JsonObject } from './json-values.ts';
import type { Schema, SchemaObject } from './schema.ts';

/** What is left of a `oneOf`: one branch to hold against the value, several, or a fault that they all have in common. */
export type Choice =
  | { readonly branch: Schema }
  | { readonly open: readonly Schema[] }
  | { readonly fault: string; readonly at: readonly string[] };

/** The names that a schema requires. */
export const required = (schema: SchemaObject): readonly string[] => schema.required ?? [];

/**
 * Leaves out those branches of a `oneOf` that the value evidently does not mean: of another type, a reference where
 * there is no `$ref` and all others where there is one, of another value of the member that tells the branches apart.
 * No branch that the value fits is left out, so what is left has the same verdict.
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
  if (!isObject(value)) return narrowed(ofType);

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

/** An object under the name `$ref` is no reference: a callback may name its expressions as it likes. */
const isMeantAsReference = (value: JsonObject): boolean =>
  Object.hasOwn(value, '$ref') && !isObject(value['$ref'] ?? null);

const narrowed = (open: readonly Schema[]): Choice => {
  const [only] = open;
  return open.length === 1 && only !== undefined ? { branch: only } : { open };
};

const typesOf = ({ type }: SchemaObject): readonly (readonly string[])[] =>
  type === undefined ? [] : [typeof type === 'string' ? [type] : type];

/** By the member for which every branch lists other values, such as a parameter's `in`. */
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
