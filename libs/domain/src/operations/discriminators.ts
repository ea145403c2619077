import { localPathOf, memberOf, valueAt } from '../documents/document-value.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../json.ts';
import { resolveObject, type Trail } from './references.ts';
import type { SchemaNode } from './schema-node.ts';

const schemasPointer = '#/components/schemas/';

/** A discriminator (OpenAPI 3.1, section 4.8.25): the member whose value says which alternative applies. */
interface Discriminator {
  readonly propertyName: string;
  /** The values for each schema, by its reference. */
  readonly valuesByReference: ReadonlyMap<string, readonly string[]>;
  /** Whether the schema's own statements about the member allow a value. */
  readonly accepts: (value: string) => boolean;
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
  const accepts = createFilter(resolveObject(document, memberOf(memberOf(schema, 'properties'), propertyName)));
  const result = { propertyName, valuesByReference, accepts };
  cachedDiscriminators.set(discriminator, result);
  return result;
}

function createFilter(property: JsonObject | undefined): Discriminator['accepts'] {
  const [type, values] = [memberOf(property, 'type'), memberOf(property, 'enum')];
  const isText = type === undefined || type === 'string' || (isJsonArray(type) && type.includes('string'));
  // A request does not contain a read-only member.
  if (!isText || memberOf(property, 'readOnly') === true) return () => false;
  return isJsonArray(values) ? (value) => values.includes(value) : () => true;
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
  const statedValues = values.filter(discriminator.accepts);
  const implied = { ...createImplied(discriminator, statedValues), required: [discriminator.propertyName] };
  return {
    parts: [{ value, trail }, ...(statedValues.length === 0 ? [] : [{ value: implied, trail, isImplied: true }])],
    name: firstValue,
  };
}

/** More values than this say nothing to a caller. */
const inheritedValuesMax = 50;

/**
 * Returns the schema of the discriminator's value where a schema extends the one with the discriminator, `true` if there
 * is no such value. `names` are those of the extending schemas, the outermost first: the value is that of the first one
 * that has one, or of a schema that extends it. Returns null if the mapping knows none of them: then they stand for the
 * schema itself.
 */
export function createInherited(document: Json, names: readonly string[], discriminator: Discriminator): Json | null {
  const { valuesByReference, accepts } = discriminator;
  const isKnown = (name: string): boolean =>
    valuesByReference.size === 0 || valuesByReference.has(`${schemasPointer}${name}`);
  const name = names.find(isKnown);
  if (name === undefined) return null;
  const references = [`${schemasPointer}${name}`, ...(name === names[0] ? listExtensions(document, name) : [])];
  if (references.length > inheritedValuesMax) return true;
  const values = new Set(references.flatMap((reference) => valuesOf(reference, discriminator)).filter(accepts));
  return values.size === 0 ? true : createImplied(discriminator, [...values]);
}

const createImplied = ({ propertyName }: Discriminator, values: readonly string[]): JsonObject => ({
  properties: { [propertyName]: values.length === 1 ? { const: values[0] ?? '' } : { enum: values } },
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
  if (valuesByReference.size > 0) return [...valuesByReference.keys()];
  return listExtensions(document, name);
}

const cachedLists = new WeakMap<ReadonlyMap<string, readonly string[]>, Map<string, readonly string[]>>();

/** Returns the references to all schemas that contain a schema in their `allOf`, directly or through others. */
function listExtensions(document: Json, name: string): readonly string[] {
  const extensions = extensionsOf(document);
  const lists = cachedLists.get(extensions) ?? new Map<string, readonly string[]>();
  cachedLists.set(extensions, lists);
  const cachedList = lists.get(name);
  if (cachedList) return cachedList;
  // The set grows while it is read: subtypes can have subtypes.
  const schemas = new Set([`${schemasPointer}${name}`]);
  for (const base of schemas) for (const subtype of extensions.get(base) ?? []) schemas.add(subtype);
  const list = [...schemas].slice(1);
  lists.set(name, list);
  return list;
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
