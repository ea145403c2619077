import { memberOf } from '../documents/document-value.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../json.ts';
import { createAlternative, createInherited, discriminatorOf, listSubtypes } from './discriminators.ts';
import { isOnTrail, resolveReference, type MissingReason, type Source, type Trail } from './references.ts';
import { listSeparateKeywords, mergeKeyword } from './schema-conjunction.ts';
import { schemaKeywords, translateSchema } from './schema-keywords.ts';
import { createNode, createSchema, type Schema, type SchemaNode, type SchemaPart } from './schema-node.ts';

/** Whether schemas describe requests, without read-only members, or responses, without write-only ones. */
export type Direction = 'request' | 'response';

/** One schema object, with its references followed: several of them are merged into a `Schema`. */
interface Fragment {
  readonly keywords: ReadonlyMap<string, Json>;
  readonly trail: Trail | null;
  readonly isImplied: boolean;
  readonly missing: MissingReason | null;
  /** The alternatives of a discriminator, in place of the keyword's value. */
  readonly alternatives?: { readonly keyword: string; readonly nodes: readonly SchemaNode[] };
}

/**
 * The number of schema objects that are read for one description: a document can combine a few into any number. A large
 * object counts as several.
 */
const fragmentsMax = 12_000;
const membersPerFragment = 50;
const subtypesPerFragment = 4;
const allOfDepthMax = 30;
/** Far more members than fit into the largest result. */
const membersMax = 20_000;
const flagDepthMax = 4;

/** Reads the schemas of a document level by level: follows references, merges `allOf`, and finds alternatives. */
export class SchemaReader {
  readonly #source: Source;
  readonly #hiddenFlag: 'readOnly' | 'writeOnly';
  #fragmentsLeft = fragmentsMax;
  readonly #schemas = new WeakMap<SchemaNode, Schema>();
  readonly #keywords = new WeakMap<JsonObject, ReadonlyMap<string, Json>>();

  constructor(source: Source, direction: Direction) {
    this.#source = source;
    this.#hiddenFlag = direction === 'request' ? 'readOnly' : 'writeOnly';
  }

  /** Returns one level of a schema. After too many schemas, returns empty ones that are marked as missing. */
  read(node: SchemaNode): Schema {
    const schema = node.schema ?? this.#schemas.get(node) ?? this.#read(node);
    this.#schemas.set(node, schema);
    return schema;
  }

  #read(node: SchemaNode): Schema {
    const schema = createSchema();
    const missing: MissingReason[] = [];
    const remainder: SchemaNode[] = [];
    let isSatisfiable = true;
    const fragments: (Fragment | false)[] = [];
    const targets = new Set<string>();
    // An alternative has the discriminator's value already.
    const hasValue = node.parts.some(({ isImplied }) => isImplied);
    for (const part of node.parts) {
      if (node.parts.length > 1 && this.#isOpaque(part)) remainder.push({ parts: [part] });
      else fragments.push(...this.#flatten(part, 0, targets, hasValue ? null : []));
    }
    // Statements of the document come first: implied ones must not contradict them.
    fragments.sort((a, b) => Number(isImpliedFragment(a)) - Number(isImpliedFragment(b)));
    for (const fragment of separateClosedFragments(fragments, (node) => this.isHidden(node), remainder)) {
      if (fragment === false) isSatisfiable = false;
      else {
        if (fragment.missing) missing.push(fragment.missing);
        this.#merge(schema, fragment, remainder);
      }
    }
    if (remainder.length > 0) schema.lists.set('allOf', remainder);
    this.#hideMembers(schema);
    return { ...schema, isSatisfiable, missing };
  }

  /** Returns the names of the members that are left out. */
  hiddenNamesOf(node: SchemaNode): ReadonlySet<string> {
    const names = node.parts.flatMap((part) =>
      this.#flatten(part, 0, new Set(), null).flatMap((fragment) =>
        fragment === false
          ? []
          : Object.entries(fragment.keywords.get('properties') ?? {}).map(([name, value]) => ({
              name,
              node: createNode(value as Json, fragment.trail),
            })),
      ),
    );
    return new Set(names.filter((member) => this.isHidden(member.node)).map(({ name }) => name));
  }

  /** Whether a member must be left out, because only responses contain it (or only requests, for responses). */
  isHidden(node: SchemaNode): boolean {
    return node.parts.some(({ value, trail }) => this.#hasFlag(value, trail, flagDepthMax));
  }

  #hasFlag(value: Json | undefined, trail: Trail | null, depth: number): boolean {
    if (!isJsonObject(value) || depth === 0) return false;
    // Nothing has to be followed.
    if (!Object.hasOwn(value, '$ref') && !Object.hasOwn(value, 'allOf'))
      return memberOf(value, this.#hiddenFlag) === true;
    if (this.#fragmentsLeft-- <= 0) return false;
    const { schema, trail: nextTrail } = resolveReference(this.#source, value, trail);
    if (typeof schema === 'boolean') return false;
    if (memberOf(schema, this.#hiddenFlag) === true) return true;
    const allOf = memberOf(schema, 'allOf');
    return isJsonArray(allOf) && allOf.some((part) => this.#hasFlag(part, nextTrail, depth - 1));
  }

  /** Whether a part must not be merged with others: `unevaluated…` refers to the keywords next to it alone. */
  #isOpaque({ value, trail }: SchemaPart): boolean {
    if (!isJsonObject(value)) return false;
    const { schema } = resolveReference(this.#source, value, trail);
    return isJsonObject(schema) && hasUnevaluated(schema);
  }

  /** Returns the valid keywords of a schema object. */
  #translate(schema: JsonObject): Map<string, Json> {
    const keywords = this.#keywords.get(schema) ?? translateSchema(schema, this.#source.dialect);
    this.#keywords.set(schema, keywords);
    for (const value of keywords.values()) {
      const members = isJsonArray(value) ? value.length : isJsonObject(value) ? Object.keys(value).length : 0;
      this.#fragmentsLeft -= Math.floor(members / membersPerFragment);
    }
    return new Map(keywords);
  }

  /** Limits the members that are read of one object, required ones first. Returns whether some are left out. */
  #limitMembers(keywords: Map<string, Json>): boolean {
    const properties = keywords.get('properties');
    if (!isJsonObject(properties)) return false;
    const names = Object.keys(properties);
    if (names.length <= membersMax) return false;
    const required = new Set((keywords.get('required') ?? []) as readonly string[]);
    const sortedNames = [...names.filter((name) => required.has(name)), ...names.filter((name) => !required.has(name))];
    const members = sortedNames.slice(0, membersMax).map((name) => [name, properties[name] ?? null] as const);
    keywords.set('properties', Object.fromEntries(members));
    // Missing members are not forbidden.
    keywords.delete('additionalProperties');
    return true;
  }

  /**
   * Returns the schema objects that apply, the outermost first. Adds the targets of their references to `targets`.
   * `extending` has the names of the schemas that extend this one by their `allOf`, the outermost first; null if the value
   * of a discriminator is known already, or not wanted.
   */
  #flatten(
    { value, trail, isImplied = false }: SchemaPart,
    depth: number,
    targets: Set<string>,
    extending: readonly string[] | null,
  ): (Fragment | false)[] {
    if (this.#fragmentsLeft-- <= 0 || depth > allOfDepthMax) return [createGap('budget', trail)];
    const resolution = resolveReference(this.#source, value, trail);
    const { schema } = resolution;
    if (typeof schema === 'boolean') return schema ? [] : [false];
    const inner = resolution.trail;
    const name = inner === trail ? null : inner?.target;
    // The base applies already, next to the alternatives that extend it.
    if (depth > 0 && name !== undefined && name !== null && isOnTrail(trail, subtypesOf(name))) return [];
    // A schema that applies twice to the same value says nothing new.
    if (name !== null && name !== undefined && resolution.missing === null) {
      if (targets.has(name)) return [];
      targets.add(name);
    }
    const keywords = this.#translate(schema);
    const missing = this.#limitMembers(keywords) ? 'budget' : resolution.missing;
    const allOf = keywords.get('allOf');
    keywords.delete('allOf');
    const parts: (Fragment | false)[] = [];
    const schemaName = schemaNameOf(name);
    const extendingParts = extending && schemaName !== null ? [...extending, schemaName] : extending;
    for (const part of isJsonArray(allOf) ? allOf : []) {
      if (this.#isOpaque({ value: part, trail: inner }))
        keywords.set('allOf', [...((keywords.get('allOf') ?? []) as Json[]), part]);
      else parts.push(...this.#flatten({ value: part, trail: inner, isImplied }, depth + 1, targets, extendingParts));
    }
    const discriminator = discriminatorOf(this.#source.document, schema);
    const inherited =
      discriminator && extending && extending.length > 0
        ? createInherited(this.#source.document, extending, discriminator)
        : null;
    if (inherited !== null)
      parts.push(...this.#flatten({ value: inherited, trail: inner, isImplied: true }, depth + 1, targets, null));
    const isExtended = inherited !== null || (extending === null && depth > 0);
    const alternatives = this.#findAlternatives(schema, keywords, inner, isExtended ? null : (name ?? null));
    return [{ keywords, trail: inner, isImplied, missing, ...(alternatives ? { alternatives } : {}) }, ...parts];
  }

  /** Returns the alternatives of a schema with their names and, with a discriminator, their values. */
  #findAlternatives(
    schema: JsonObject,
    keywords: ReadonlyMap<string, Json>,
    trail: Trail | null,
    name: string | null,
  ): Fragment['alternatives'] {
    const { document } = this.#source;
    const discriminator = discriminatorOf(document, schema);
    const keyword = ['oneOf', 'anyOf'].find((candidate) => keywords.has(candidate));
    if (keyword !== undefined) {
      const values = keywords.get(keyword) as readonly Json[];
      return { keyword, nodes: values.map((value) => createAlternative(value, trail, discriminator)) };
    }
    const schemaName = schemaNameOf(name);
    if (!discriminator || name === null || schemaName === null || isOnTrail(trail, subtypesOf(name))) return undefined;
    const outerTrail: Trail = { target: subtypesOf(name), parent: trail?.parent ?? null };
    const references = listSubtypes(document, schemaName, discriminator);
    this.#fragmentsLeft -= Math.floor(references.length / subtypesPerFragment);
    const nodes = references.map((reference) => createAlternative({ $ref: reference }, outerTrail, discriminator));
    return nodes.length === 0 ? undefined : { keyword: 'oneOf', nodes };
  }

  #merge(schema: Schema, { keywords, trail, isImplied, alternatives }: Fragment, remainder: SchemaNode[]): void {
    if (alternatives && !keywords.has(alternatives.keyword))
      mergeKeyword(schema, { name: alternatives.keyword, nodes: alternatives.nodes }, remainder);
    const rest = createSchema();
    const separateKeywords = listSeparateKeywords(schema, keywords);
    for (const [name, value] of keywords) {
      const target = separateKeywords.has(name) ? rest : schema;
      const nodeOf = (nodeValue: Json): SchemaNode => ({ parts: [{ value: nodeValue, trail, isImplied }] });
      if (name === 'allOf') {
        for (const part of value as readonly Json[]) remainder.push(nodeOf(part));
        continue;
      }
      switch (schemaKeywords[name]?.kind) {
        case 'schema':
        case 'exact':
          mergeKeyword(target, { name, node: nodeOf(value) }, remainder);
          break;
        case 'schemas': {
          const nodes = alternatives?.keyword === name ? alternatives.nodes : (value as readonly Json[]).map(nodeOf);
          mergeKeyword(target, { name, nodes }, remainder);
          break;
        }
        case 'names':
        case 'exactNames': {
          const map = new Map<string, SchemaNode>();
          for (const [key, member] of Object.entries(value as JsonObject)) map.set(key, nodeOf(member));
          mergeKeyword(schema, { name, map }, remainder);
          break;
        }
        default:
          mergeKeyword(target, { name, value, isImplied }, remainder);
      }
    }
    if (separateKeywords.size > 0) remainder.push({ parts: [], schema: rest });
  }

  #hideMembers({ values, lists, maps }: Schema): void {
    values.delete(this.#hiddenFlag);
    const properties = maps.get('properties');
    const hiddenNames = new Set<Json>();
    for (const [name, node] of properties ?? []) if (this.isHidden(node)) hiddenNames.add(name);
    for (const name of hiddenNames) properties?.delete(`${name as string}`);
    const required = values.get('required');
    if (!isJsonArray(required)) return;
    // The alternatives may declare the members that the schema itself only requires.
    const [alternative] = ['oneOf', 'anyOf'].flatMap((keyword) => lists.get(keyword)?.slice(0, 1) ?? []);
    const isUndeclared = required.some((name) => !properties?.has(`${name as string}`) && !hiddenNames.has(name));
    if (alternative && isUndeclared) for (const name of this.hiddenNamesOf(alternative)) hiddenNames.add(name);
    if (hiddenNames.size === 0) return;
    const remaining = required.filter((name) => !hiddenNames.has(name));
    if (remaining.length > 0) values.set('required', remaining);
    else values.delete('required');
    values.delete('dependentRequired');
  }
}

const isImpliedFragment = (fragment: Fragment | false): boolean => fragment !== false && fragment.isImplied;

const schemaNameOf = (target: string | null | undefined): string | null =>
  /^components\/schemas\/([^/]+)$/.exec(target ?? '')?.[1] ?? null;

const subtypesOf = (name: string): string => `subtypes of ${name}`;

const hasUnevaluated = (value: JsonObject): boolean =>
  Object.hasOwn(value, 'unevaluatedProperties') || Object.hasOwn(value, 'unevaluatedItems');

const createGap = (missing: MissingReason, trail: Trail | null): Fragment => ({
  keywords: new Map(),
  trail,
  isImplied: false,
  missing,
});

/**
 * A schema that limits additional members refers to its own members alone. Where others have different members, that
 * limit cannot be merged: it is moved to `remainder`, with the names that it refers to.
 */
function separateClosedFragments(
  fragments: readonly (Fragment | false)[],
  isHidden: (node: SchemaNode) => boolean,
  remainder: SchemaNode[],
): readonly (Fragment | false)[] {
  const isClosed = (fragment: Fragment | false): boolean =>
    fragment !== false && (fragment.keywords.get('additionalProperties') ?? true) !== true;
  if (fragments.length === 1 || !fragments.some(isClosed)) return fragments;
  const namesIn = (fragment: Fragment | false): string[] =>
    fragment === false
      ? []
      : ['properties', 'patternProperties'].flatMap((keyword) =>
          Object.keys(fragment.keywords.get(keyword) ?? {}).map((name) => `${keyword} ${name}`),
        );
  const allNames = new Set(fragments.flatMap(namesIn));
  return fragments.map((fragment) => {
    const limit = fragment === false ? undefined : fragment.keywords.get('additionalProperties');
    if (fragment === false || limit === undefined || !isClosed(fragment)) return fragment;
    if (new Set(namesIn(fragment)).size === allNames.size) return fragment;
    const toAnyValue = (keyword: string) => {
      const names = Object.entries(fragment.keywords.get(keyword) ?? {})
        .filter(([, value]) => !isHidden(createNode(value as Json, fragment.trail)))
        .map(([name]) => name);
      return names.length === 0 ? {} : { [keyword]: Object.fromEntries(names.map((name) => [name, true])) };
    };
    const value = { ...toAnyValue('properties'), ...toAnyValue('patternProperties'), additionalProperties: limit };
    remainder.push(createNode(value, fragment.trail));
    const keywords = new Map(fragment.keywords);
    keywords.delete('additionalProperties');
    return { ...fragment, keywords };
  });
}
