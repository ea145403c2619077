import { localPathOf, memberOf, valueAt } from '../documents/document-value.ts';
import { isJsonArray, isJsonObject, type Json } from '../json.ts';

/** The schemas of a document that can be referred to other than by a pointer (JSON Schema 2020-12, section 8.2). */
interface IdentifiedSchemas {
  /** By `#anchor`. */
  readonly anchors: ReadonlyMap<string, Json>;
  /** By `$id`. */
  readonly resources: ReadonlyMap<string, Json>;
}

const cachedSchemas = new WeakMap<object, IdentifiedSchemas>();

/**
 * Returns the schema that a reference names by an `$anchor` or an `$id`, with an optional pointer or anchor below it.
 * Also finds a pointer that is relative to the only resource that has such a position. Anchors are expected to be
 * unique in the document.
 */
export const findIdentified = (document: Json, reference: string): Json | undefined => {
  if (!isJsonObject(document)) return undefined;
  const schemas = cachedSchemas.get(document) ?? collectIdentified(document);
  cachedSchemas.set(document, schemas);
  const { anchors, resources } = schemas;
  if (anchors.size === 0 && resources.size === 0) return undefined;
  const [id = '', fragment] = reference.split('#', 2);
  const pointer = fragment?.startsWith('/') ? localPathOf(`#${fragment}`) : undefined;
  if (id === '') {
    if (!pointer) return anchors.get(reference);
    const targets = [...resources.values()].flatMap((resource) => valueAt(resource, pointer) ?? []);
    return targets.length === 1 ? targets[0] : undefined;
  }
  const resource = resources.get(id);
  if (fragment === undefined || fragment === '') return resource;
  return pointer ? resource && valueAt(resource, pointer) : resource && anchors.get(`#${fragment}`);
};

/** The maximum number of values that are searched; anchors after them are not found. */
const valuesMax = 500_000;

function collectIdentified(document: Json): IdentifiedSchemas {
  const [anchors, resources] = [new Map<string, Json>(), new Map<string, Json>()];
  const stack: Json[] = [document];
  for (let count = 0; count < valuesMax; count++) {
    const value = stack.pop();
    if (value === undefined) break;
    if (isJsonArray(value)) for (const item of value) stack.push(item);
    if (!isJsonObject(value)) continue;
    const id = memberOf(value, '$id');
    if (typeof id === 'string') resources.set(id.replace(/#$/, ''), value);
    for (const name of ['$anchor', '$dynamicAnchor']) {
      const anchor = memberOf(value, name);
      if (typeof anchor === 'string' && !anchors.has(`#${anchor}`)) anchors.set(`#${anchor}`, value);
    }
    for (const member of Object.values(value)) stack.push(member);
  }
  return { anchors, resources };
}
