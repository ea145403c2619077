import { localPathOf, memberOf, valueAt } from '../documents/document-value.ts';
import type { DocumentPath } from '../documents/document.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../json.ts';
import { operationMethods, type DocumentOperation } from '../documents/document-operations.ts';
import type { CallSettings } from './call-settings.ts';
import { listOf } from './operation-parts.ts';
import { resolveObject } from './references.ts';
import { resolveUrl } from './servers.ts';

/**
 * Returns an OpenAPI document with one operation, as a JSON text: the required parts of the document, with all directly
 * and indirectly referenced components. The targets of references to other positions, such as into a different path, are
 * moved to the components. Only the servers differ from those of the document, where the collection has settings.
 */
export function buildOperationDocument(
  document: Json,
  { method, path, ...original }: DocumentOperation,
  settings: ServerSettings,
): string {
  const pathItem = withServers(original.pathItem, settings);
  const operation = withServers(original.operation, settings);
  const closure = new Closure(document, memberOf(operation, 'operationId') ?? null);
  const sharedMembers = Object.entries(pathItem).filter(
    ([name]) => !operationMethods.includes(name) && name !== '$ref',
  );
  const slicedPathItem = closure.withoutForeignLinks(
    Object.fromEntries([...sharedMembers, [method.toLowerCase(), operation]]),
  );
  const security = memberOf(operation, 'security') ?? memberOf(document, 'security');
  closure.addSchemes(security);
  closure.follow(slicedPathItem);
  const usedTags = listOf(operation, 'tags');
  const declaredTags = isJsonObject(document)
    ? listOf(document, 'tags').filter((tag) => usedTags.includes(memberOf(tag, 'name') ?? null))
    : [];
  closure.follow(declaredTags);
  const members: [string, Json | undefined][] = [
    ...['openapi', 'info', 'jsonSchemaDialect'].map((name) => [name, memberOf(document, name)] as [string, Json]),
    ['servers', settings.baseUrl === null ? serversIn(document, settings) : [{ url: settings.baseUrl }]],
    ['security', Object.hasOwn(operation, 'security') ? undefined : security],
    ['tags', declaredTags.length > 0 ? closure.updateReferences(declaredTags) : undefined],
    ['paths', Object.fromEntries([[path, closure.updateReferences(slicedPathItem)]])],
    ['components', closure.buildComponents()],
  ];
  return JSON.stringify(Object.fromEntries(members.filter(([, value]) => value !== undefined)));
}

type ServerSettings = Pick<CallSettings, 'baseUrl' | 'serverVariables'>;

/** Returns a path item or an operation with the servers that apply in a collection. */
const withServers = (owner: JsonObject, settings: ServerSettings): JsonObject => {
  const servers = serversIn(owner, settings);
  return servers === undefined ? owner : { ...owner, servers };
};

/** Returns the servers of a part of the document, with the values that are set as the defaults of their variables. */
function serversIn(owner: Json, { baseUrl, serverVariables }: ServerSettings): Json | undefined {
  const servers = memberOf(owner, 'servers');
  if (!isJsonArray(servers)) return servers;
  return servers.map((server): Json => {
    const url = memberOf(server, 'url');
    if (!isJsonObject(server) || typeof url !== 'string') return server;
    const declared = memberOf(server, 'variables');
    const settings = Object.entries(serverVariables).filter(([name]) => url.includes(`{${name}}`));
    const variables = settings.map(([name, value]): [string, Json] => {
      const variable = memberOf(declared, name);
      const values = memberOf(variable, 'enum');
      return [
        name,
        {
          ...(isJsonObject(variable) ? variable : {}),
          default: value,
          ...(isJsonArray(values) && !values.includes(value) ? { enum: [...values, value] } : {}),
        },
      ];
    });
    return {
      ...server,
      url: baseUrl === null ? url : resolveUrl(url, baseUrl),
      ...(variables.length === 0
        ? {}
        : { variables: { ...(isJsonObject(declared) ? declared : {}), ...Object.fromEntries(variables) } }),
    };
  });
}

/** The components that values refer to, directly and indirectly. */
class Closure {
  readonly #document: Json;
  readonly #operationId: Json;
  /** The components, by kind, such as `schemas`, and name. */
  readonly #kinds = new Map<string, Map<string, Json>>();
  /** The new pointers to values from other positions, by reference. */
  readonly #newReferences = new Map<string, string>();
  readonly #movedPaths = new Map<string, string>();

  constructor(document: Json, operationId: Json) {
    this.#document = document;
    this.#operationId = operationId;
  }

  /** Returns a value without the links to other operations, which the new document does not contain. */
  withoutForeignLinks(value: Json): Json {
    if (isJsonArray(value)) return value.map((item) => this.withoutForeignLinks(item));
    if (!isJsonObject(value)) return value;
    const members = Object.entries(value).map(([name, member]): [string, Json] => {
      if (name !== 'links' || !isJsonObject(member)) return [name, this.withoutForeignLinks(member)];
      return [name, Object.fromEntries(Object.entries(member).filter(([, link]) => !this.#isForeignLink(link)))];
    });
    return Object.fromEntries(members);
  }

  #isForeignLink(value: Json): boolean {
    const link = resolveObject(this.#document, value);
    const [id, reference] = [memberOf(link, 'operationId'), memberOf(link, 'operationRef')];
    return (typeof id === 'string' && id !== this.#operationId) || typeof reference === 'string';
  }

  /** Adds everything that a value refers to. */
  follow(value: Json): void {
    const stack: Json[] = [value];
    for (let current = stack.pop(); current !== undefined; current = stack.pop()) {
      // One by one: a call has a limited number of arguments.
      if (isJsonArray(current)) for (const item of current) stack.push(item);
      if (!isJsonObject(current)) continue;
      for (const member of Object.values(current)) stack.push(member);
      for (const reference of referencesOf(current)) stack.push(...this.#addReference(reference));
      // The operations of callbacks have security requirements of their own.
      this.addSchemes(memberOf(current, 'security'));
    }
  }

  /** Adds the security schemes of a list of requirements. */
  addSchemes(security: Json | undefined): void {
    for (const requirement of isJsonArray(security) ? security : []) {
      for (const name of Object.keys(isJsonObject(requirement) ? requirement : {})) {
        const path = ['components', 'securitySchemes', name];
        if (valueAt(this.#document, path) !== undefined) this.follow(this.#addComponent(path)[0] ?? null);
      }
    }
  }

  /** Returns the value with its references updated to the new positions. */
  updateReferences(value: Json): Json {
    if (this.#newReferences.size === 0) return value;
    if (isJsonArray(value)) return value.map((item) => this.updateReferences(item));
    if (!isJsonObject(value)) return value;
    const members = Object.entries(value).map(([name, member]): [string, Json] => {
      const target = name === '$ref' && typeof member === 'string' ? this.#newReferences.get(member) : undefined;
      return [name, target ?? this.updateReferences(member)];
    });
    return Object.fromEntries(members);
  }

  buildComponents(): Json | undefined {
    if (this.#kinds.size === 0) return undefined;
    const kinds = [...this.#kinds].map(([kind, components]): [string, Json] => {
      const members = [...components].map(([name, value]): [string, Json] => [name, this.updateReferences(value)]);
      return [kind, Object.fromEntries(members)];
    });
    return Object.fromEntries(kinds);
  }

  /** Adds the target of the reference; returns the values that are new. */
  #addReference(reference: string): Json[] {
    const path = localPathOf(reference);
    const target = path && valueAt(this.#document, path);
    if (path === undefined || target === undefined) return [];
    return path[0] === 'components' && path.length > 2
      ? this.#addComponent(path)
      : this.#moveToComponents(reference, path, target);
  }

  #addComponent([, kind = '', name = '']: DocumentPath): Json[] {
    const value = valueAt(this.#document, ['components', kind, name]);
    if (value === undefined) return [];
    const component = this.withoutForeignLinks(value);
    return this.#put(`${kind}`, `${name}`, component) ? [component] : [];
  }

  #moveToComponents(reference: string, path: DocumentPath, target: Json): Json[] {
    const key = path.join('/');
    const pointer = this.#movedPaths.get(key);
    if (pointer !== undefined) {
      this.#newReferences.set(reference, pointer);
      return [];
    }
    const kind = kindAt(path);
    let number = this.#movedPaths.size + 1;
    while (valueAt(this.#document, ['components', kind, `moved_${number}`]) !== undefined) number++;
    const newPointer = `#/components/${kind}/moved_${number}`;
    this.#movedPaths.set(key, newPointer);
    this.#newReferences.set(reference, newPointer);
    this.#put(kind, `moved_${number}`, target);
    return [target];
  }

  #put(kind: string, name: string, value: Json): boolean {
    const components = this.#kinds.get(kind) ?? new Map<string, Json>();
    this.#kinds.set(kind, components);
    if (components.has(name)) return false;
    components.set(name, value);
    return true;
  }
}

/** Returns the references of an object itself, including those of a discriminator to schemas. */
function referencesOf(object: JsonObject): string[] {
  const reference = memberOf(object, '$ref');
  const mapping = memberOf(memberOf(object, 'discriminator'), 'mapping');
  const targets = Object.values(isJsonObject(mapping) ? mapping : {}).filter((target) => typeof target === 'string');
  const references = targets.map((target) => (target.includes('#') ? target : `#/components/schemas/${target}`));
  return typeof reference === 'string' ? [reference, ...references] : references;
}

/** The kinds of components, by the name of the map or list that contains them. */
const kindsByContainer: Readonly<Record<string, string>> = {
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
  const container = `${path.at(-2) ?? ''}`;
  return Object.hasOwn(kindsByContainer, container) ? (kindsByContainer[container] ?? 'schemas') : 'schemas';
}
