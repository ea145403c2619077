import { localPathOf, memberOf, valueAt } from '../documents/document-value.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { Trail } from './references.ts';
import type { SchemaNode } from './schema-node.ts';

const schemasPointer = '#/components/schemas/';

/** A discriminator (OpenAPI 3.1, section 4.8.25): the member whose value says which alternative applies. */
interface Discriminator {
  readonly propertyName: string;
  /** The values for each schema, by its reference. */
  readonly valuesByReference: ReadonlyMap<string, readonly string[]>;
}

const cachedDiscriminators = new WeakMap<object, Discriminator>();

export function discriminatorOf(document: Json, schema: JsonObject): Discriminator | null {
  const discriminator = memberOf(schema, 'discriminator');
  const propertyName = memberOf(discriminator, 'propertyName');
  if (!isJsonObject(discriminator) || typeof propertyName !== 'string') return null;
  const cached = cachedDiscriminators.get(discriminator);
  if (cached) return cached;
  const mapping = memberOf(discriminator, 'mapping');
  const valuesByReference = new Map<string, string[]>();
  for (const [value, target] of Object.entries(isJsonObject(mapping) ? mapping : {})) {
    if (typeof target !== 'string') continue;
    const reference = toReference(document, target);
    const values = valuesByReference.get(reference);
    if (values) values.push(value);
    else valuesByReference.set(reference, [value]);
  }
  const result = { propertyName, valuesByReference };
  cachedDiscriminators.set(discriminator, result);
  return result;
}

/** A mapping's target is a reference, or the name of a schema. */
const toReference = (document: Json, target: string): string =>
  !target.includes('#') && valueAt(document, ['components', 'schemas', target]) !== undefined
    ? `${schemasPointer}${target}`
    : target;

/** Returns an alternative with the discriminator's value for it, if it has one. */
export function createAlternative(value: Json, trail: Trail | null, discriminator: Discriminator | null): SchemaNode {
  const reference = memberOf(value, '$ref');
  if (typeof reference !== 'string') return { parts: [{ value, trail }] };
  const name = lastNameOf(reference);
  if (!discriminator) return { parts: [{ value, trail }], ...(name === undefined ? {} : { name }) };
  const values = valuesOf(reference, discriminator);
  const [firstValue] = values;
  if (firstValue === undefined) return { parts: [{ value, trail }] };
  return {
    parts: [
      { value, trail },
      { value: createImplied(discriminator, values), trail, isImplied: true },
    ],
    name: firstValue,
  };
}

/**
 * Returns the schema of the discriminator's value where a schema extends the one with the discriminator: the value is
 * that of the extending schema, or of one that extends it.
 */
export function createInherited(document: Json, name: string, discriminator: Discriminator): Json {
  const references = [`${schemasPointer}${name}`, ...listExtensions(document, name)];
  return createImplied(discriminator, [
    ...new Set(references.flatMap((reference) => valuesOf(reference, discriminator))),
  ]);
}

const createImplied = ({ propertyName }: Discriminator, values: readonly string[]): Json => ({
  properties: { [propertyName]: values.length === 1 ? { const: values[0] ?? '' } : { enum: values } },
  required: [propertyName],
});

/** Returns the values that stand for a schema: those of the mapping, else its name. */
const valuesOf = (reference: string, { valuesByReference }: Discriminator): readonly string[] => {
  const name = lastNameOf(reference);
  return valuesByReference.get(reference) ?? (name === undefined ? [] : [name]);
};

const lastNameOf = (reference: string): string | undefined => {
  const name = localPathOf(reference)?.at(-1);
  return name === undefined ? undefined : `${name}`;
};

/**
 * Returns the references to the schemas that extend the schema with that name: those of its discriminator's mapping,
 * else all that contain it in their `allOf`.
 */
export function listSubtypes(document: Json, name: string, { valuesByReference }: Discriminator): readonly string[] {
  const own = `${schemasPointer}${name}`;
  if (valuesByReference.size > 0) return [...valuesByReference.keys()].filter((reference) => reference !== own);
  return listExtensions(document, name);
}

function listExtensions(document: Json, name: string): readonly string[] {
  // The set grows while it is read: subtypes can have subtypes.
  const schemas = new Set([`${schemasPointer}${name}`]);
  for (const base of schemas) for (const subtype of extensionsOf(document).get(base) ?? []) schemas.add(subtype);
  return [...schemas].slice(1);
}

const cachedExtensions = new WeakMap<object, ReadonlyMap<string, readonly string[]>>();

/** Returns the references to the schemas that contain a schema in their `allOf`, by the reference to it. */
function extensionsOf(document: Json): ReadonlyMap<string, readonly string[]> {
  const schemas = memberOf(memberOf(document, 'components'), 'schemas');
  if (!isJsonObject(schemas)) return new Map();
  const cached = cachedExtensions.get(schemas);
  if (cached) return cached;
  const extensions = new Map<string, string[]>();
  for (const [name, schema] of Object.entries(schemas)) {
    const allOf = memberOf(schema, 'allOf');
    for (const part of isJsonArray(allOf) ? allOf : []) {
      const base = memberOf(part, '$ref');
      if (typeof base !== 'string') continue;
      const reference = `${schemasPointer}${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      const subtypes = extensions.get(base);
      if (subtypes) subtypes.push(reference);
      else extensions.set(base, [reference]);
    }
  }
  cachedExtensions.set(schemas, extensions);
  return extensions;
}
