import { localPath, memberOf, valueAt } from '../documents/document-value.ts';
import type { DocumentPath } from '../documents/document.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../json.ts';
import { operationMethods, type DocumentOperation } from '../documents/document-operations.ts';
import { listOf } from './operation-parts.ts';

/**
 * An OpenAPI document of one operation, as a JSON text: the parts of the document that it needs, as they are, with the
 * components that it refers to and all that these refer to. What is referred to elsewhere, such as in another path,
 * moves to the components.
 */
export function operationDocument(document: Json, { item, operation, method, path }: DocumentOperation): string {
  const closure = new Closure(document);
  const shared = Object.entries(item).filter(([name]) => !operationMethods.includes(name) && name !== '$ref');
  const pathItem: JsonObject = Object.fromEntries([...shared, [method.toLowerCase(), operation]]);
  const security = memberOf(operation, 'security') ?? memberOf(document, 'security');
  closure.addSchemes(security);
  closure.follow(pathItem);
  const tags = listOf(operation, 'tags');
  const described = isJsonObject(document)
    ? listOf(document, 'tags').filter((tag) => tags.includes(memberOf(tag, 'name') ?? null))
    : [];
  const members: [string, Json | undefined][] = [
    ...['openapi', 'info', 'jsonSchemaDialect', 'servers'].map(
      (name) => [name, memberOf(document, name)] as [string, Json],
    ),
    ['security', Object.hasOwn(operation, 'security') ? undefined : security],
    ['tags', described.length > 0 ? described : undefined],
    ['paths', Object.fromEntries([[path, closure.moved(pathItem)]])],
    ['components', closure.components()],
  ];
  return JSON.stringify(Object.fromEntries(members.filter(([, value]) => value !== undefined)));
}

/** The components that values refer to, and what these refer to. */
class Closure {
  readonly #document: Json;
  /** By kind, such as `schemas`, and name. */
  readonly #kinds = new Map<string, Map<string, Json>>();
  /** The new address of what stood elsewhere, by reference. */
  readonly #moves = new Map<string, string>();
  readonly #moved = new Map<string, string>();

  constructor(document: Json) {
    this.#document = document;
  }

  /** Adds all that a value refers to. */
  follow(value: Json): void {
    const waiting: Json[] = [value];
    for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
      if (isJsonArray(one)) waiting.push(...one);
      if (!isJsonObject(one)) continue;
      waiting.push(...Object.values(one));
      for (const reference of referencesOf(one)) waiting.push(...this.#added(reference));
    }
  }

  /** Adds the security schemes that a list of requirements names. */
  addSchemes(security: Json | undefined): void {
    for (const requirement of isJsonArray(security) ? security : []) {
      for (const name of Object.keys(isJsonObject(requirement) ? requirement : {})) {
        const path = ['components', 'securitySchemes', name];
        if (valueAt(this.#document, path) !== undefined) this.follow(this.#addedComponent(path)[0] ?? null);
      }
    }
  }

  /** A value whose references lead to where things now are. */
  moved(value: Json): Json {
    if (this.#moves.size === 0) return value;
    if (isJsonArray(value)) return value.map((one) => this.moved(one));
    if (!isJsonObject(value)) return value;
    const members = Object.entries(value).map(([name, one]): [string, Json] => {
      const target = name === '$ref' && typeof one === 'string' ? this.#moves.get(one) : undefined;
      return [name, target ?? this.moved(one)];
    });
    return Object.fromEntries(members);
  }

  components(): Json | undefined {
    if (this.#kinds.size === 0) return undefined;
    const kinds = [...this.#kinds].map(([kind, named]): [string, Json] => {
      const members = [...named].map(([name, value]): [string, Json] => [name, this.moved(value)]);
      return [kind, Object.fromEntries(members)];
    });
    return Object.fromEntries(kinds);
  }

  /** What is new by that reference. */
  #added(reference: string): Json[] {
    const path = localPath(reference);
    const target = path && valueAt(this.#document, path);
    if (path === undefined || target === undefined) return [];
    return path[0] === 'components' && path.length > 2
      ? this.#addedComponent(path)
      : this.#addedElsewhere(reference, path, target);
  }

  #addedComponent([, kind = '', name = '']: DocumentPath): Json[] {
    const value = valueAt(this.#document, ['components', kind, name]);
    return value !== undefined && this.#put(`${kind}`, `${name}`, value) ? [value] : [];
  }

  #addedElsewhere(reference: string, path: DocumentPath, target: Json): Json[] {
    const place = path.join('/');
    const known = this.#moved.get(place);
    if (known !== undefined) {
      this.#moves.set(reference, known);
      return [];
    }
    const kind = kindAt(path);
    let number = this.#moved.size + 1;
    while (valueAt(this.#document, ['components', kind, `moved_${number}`]) !== undefined) number++;
    const address = `#/components/${kind}/moved_${number}`;
    this.#moved.set(place, address);
    this.#moves.set(reference, address);
    this.#put(kind, `moved_${number}`, target);
    return [target];
  }

  #put(kind: string, name: string, value: Json): boolean {
    const named = this.#kinds.get(kind) ?? new Map<string, Json>();
    this.#kinds.set(kind, named);
    if (named.has(name)) return false;
    named.set(name, value);
    return true;
  }
}

/** References of an object itself, also those by which a discriminator names schemas. */
function referencesOf(object: JsonObject): string[] {
  const reference = memberOf(object, '$ref');
  const mapping = memberOf(memberOf(object, 'discriminator'), 'mapping');
  const mapped = Object.values(isJsonObject(mapping) ? mapping : {}).filter((one) => typeof one === 'string');
  const named = mapped.map((one) => (one.includes('#') ? one : `#/components/schemas/${one}`));
  return typeof reference === 'string' ? [reference, ...named] : named;
}

/** Kinds of components by the member in whose map or list they stand. */
const kindsByPlace: Readonly<Record<string, string>> = {
  parameters: 'parameters',
  responses: 'responses',
  headers: 'headers',
  examples: 'examples',
  links: 'links',
  callbacks: 'callbacks',
  paths: 'x-path-items',
};

function kindAt(path: DocumentPath): string {
  if (path.at(-1) === 'requestBody') return 'requestBodies';
  const holder = `${path.at(-2) ?? ''}`;
  return Object.hasOwn(kindsByPlace, holder) ? (kindsByPlace[holder] ?? 'schemas') : 'schemas';
}
