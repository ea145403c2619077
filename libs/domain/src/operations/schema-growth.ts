import { takeFirstCharacters } from '../characters.ts';
import { isJsonArray, type Json } from '../json.ts';
import { textOf, utf8LengthOf, type Draft, type DraftObject } from './draft.ts';
import { Growth, type Part, type Position } from './growth.ts';
import { schemaKeywords } from './schema-keywords.ts';
import type { Schema, SchemaNode } from './schema-node.ts';
import type { SchemaReader } from './schema-reader.ts';

/** The ranks of parts: parts with lower ranks are added first. */
export const ranks = {
  identity: 0,
  requiredSchemas: 1,
  requiredMembers: 2,
  curl: 3,
  /** The alternatives of a required part. */
  alternatives: 3.5,
  optionalParameters: 4,
  optionalSchemas: 5,
  texts: 6,
  /** Optional members by depth: those closest to the root come first. */
  membersAt: (depth: number): number => 10 + 4 * Math.min(depth, depthMax),
  longTexts: 10_000,
  examples: 10_001,
};

const depthMax = 1_000;

/** Values up to this size are included with their schema; larger ones are queued separately. */
const valueBytesMax = 300;
const shortTextMax = 200;
/** Several examples are included up to this many characters. */
const examplesMax = 100;

/** The position of a schema within the request. */
export interface Level {
  /** How deep the schema is nested: each member or item is one level deeper. */
  readonly depth: number;
  /** Whether every request must contain a value for this schema. */
  readonly isRequired: boolean;
}

export const createTopLevel = (isRequired: boolean): Level => ({ depth: 0, isRequired });

/** Adds schemas to a growing text: their parts are queued one by one, breadth first. */
export class SchemaGrowth {
  readonly #growth: Growth;
  readonly #reader: SchemaReader;

  constructor(growth: Growth, reader: SchemaReader) {
    this.#growth = growth;
    this.#reader = reader;
  }

  /** Queues a schema for a position. */
  enqueue(rank: number, place: Position, node: SchemaNode, level: Level): void {
    this.#growth.enqueue({ rank, place, build: () => this.buildPart(place, node, level) });
  }

  /** Returns a schema without its parts, which are queued once the schema is in the text. */
  buildPart(place: Position, node: SchemaNode, level: Level): Part {
    const schema = this.#reader.read(node);
    if (!schema.isSatisfiable) return { draft: 'false', fallback: null };
    const draft: DraftObject = new Map();
    const deferredSteps: (() => void)[] = [];
    if (node.name !== undefined) draft.set('title', JSON.stringify(node.name.toWellFormed()));
    for (const name of listKeywords(schema)) {
      const position: Position = { parent: place, container: draft, key: name, isKeyword: true };
      const keywordDraft = this.#buildKeyword(position, schema, level, deferredSteps);
      if (keywordDraft !== undefined) draft.set(name, keywordDraft);
    }
    for (const reason of schema.missing) deferredSteps.push(() => this.#growth.truncate(place, reason));
    return { draft, fallback: '{}', onAdded: () => deferredSteps.forEach((enqueue) => enqueue()) };
  }

  /**
   * Returns the part of the keyword that is included in the schema immediately, undefined if the schema does not have
   * it; the rest is appended to `deferredSteps`, to be queued afterwards.
   */
  #buildKeyword(
    position: Position,
    { values, nodes, lists, maps }: Schema,
    level: Level,
    deferredSteps: (() => void)[],
  ): Draft | null | undefined {
    const name = `${position.key}`;
    const [value, node, list, map] = [values.get(name), nodes.get(name), lists.get(name), maps.get(name)];
    if (value !== undefined) return this.#buildValue(position, value, level, deferredSteps);
    if (node) return this.#buildNode(position, node, level, deferredSteps);
    if (list) {
      deferredSteps.push(() => this.#enqueueList(position, list, level));
      return null;
    }
    if (!map || map.size === 0) return undefined;
    if (name === 'dependentSchemas') {
      deferredSteps.push(() => this.#enqueueComplete(position, level, () => this.#buildCompleteMembers(map)));
      return null;
    }
    const members: DraftObject = new Map();
    const required = name === 'properties' ? ((values.get('required') ?? []) as readonly Json[]) : [];
    deferredSteps.push(() => this.#enqueueMembers(position, members, map, new Set(required), level));
    return members;
  }

  #buildValue(position: Position, value: Json, level: Level, deferredSteps: (() => void)[]): Draft | null {
    const { key: name } = position;
    const rank = ranks.membersAt(level.depth);
    if (schemaKeywords[`${name}`]?.kind === 'text') {
      deferredSteps.push(() => enqueueText(this.#growth, rank + 2, position, value));
      return null;
    }
    const allText = JSON.stringify(value);
    // One example is enough if there is little space.
    const isLongList = name === 'examples' && isJsonArray(value) && allText.length > examplesMax;
    const text = isLongList ? JSON.stringify(value.slice(0, 1)) : allText;
    if (name !== 'examples' && (name === 'required' || utf8LengthOf(text) <= valueBytesMax)) return text;
    const valueRank = name === 'examples' ? ranks.examples : name === 'default' ? ranks.longTexts : rank + 3;
    deferredSteps.push(() =>
      this.#growth.enqueue({ rank: valueRank, place: position, build: () => ({ draft: text, fallback: null }) }),
    );
    return null;
  }

  #buildNode(position: Position, node: SchemaNode, level: Level, deferredSteps: (() => void)[]): Draft | null {
    const [part] = node.parts;
    if (node.parts.length === 1 && typeof part?.value === 'boolean') return String(part.value);
    const rank = ranks.membersAt(level.depth);
    if (schemaKeywords[`${position.key}`]?.kind === 'exact')
      deferredSteps.push(() => this.#enqueueComplete(position, level, () => this.#buildCompleteSchema(node)));
    else
      deferredSteps.push(() =>
        this.enqueue(level.isRequired ? ranks.requiredMembers : rank + 4, position, node, deepen(level)),
      );
    return null;
  }

  #enqueueMembers(
    position: Position,
    members: DraftObject,
    map: ReadonlyMap<string, SchemaNode>,
    requiredNames: ReadonlySet<Json>,
    parentLevel: Level,
  ): void {
    const level = deepen(parentLevel);
    const rank = ranks.membersAt(level.depth);
    this.#growth.onFinish(() => {
      if (members.size === 0 && !Array.isArray(position.container)) position.container.set(`${position.key}`, null);
    });
    // Required members come first, so that they are queued even if there are many members.
    const isRequired = ([name]: readonly [string, SchemaNode]): boolean => requiredNames.has(name);
    const sortedMembers = [...map].sort((a, b) => Number(isRequired(b)) - Number(isRequired(a)));
    if (sortedMembers.length > this.#growth.partsLeft) this.#growth.truncate(position);
    for (const member of sortedMembers.slice(0, this.#growth.partsLeft)) {
      const memberRank = isRequired(member) ? (level.isRequired ? ranks.requiredMembers : rank) : rank + 1;
      const place: Position = { parent: position, container: members, key: member[0], isKeyword: false };
      this.enqueue(memberRank, place, member[1], { ...level, isRequired: level.isRequired && isRequired(member) });
    }
  }

  /** Queues the list first, with schemas that accept everything; then each schema at its position. */
  #enqueueList(position: Position, nodes: readonly SchemaNode[], parentLevel: Level): void {
    const isAlternative = position.key === 'oneOf' || position.key === 'anyOf';
    const level = position.key === 'prefixItems' ? deepen(parentLevel) : parentLevel;
    const rank = ranks.membersAt(level.depth);
    const itemRank = !level.isRequired ? rank + 1 : isAlternative ? ranks.alternatives : ranks.requiredMembers;
    const placeholders: Draft[] = nodes.map(() => '{}');
    const onAdded = () => {
      for (const [index, node] of nodes.entries()) {
        const place: Position = { parent: position, container: placeholders, key: index, isKeyword: false };
        this.enqueue(itemRank, place, node, { ...level, isRequired: level.isRequired && !isAlternative });
      }
    };
    const build = (): Part => ({ draft: placeholders, fallback: null, onAdded });
    this.#growth.enqueue({ rank: level.isRequired ? ranks.requiredMembers : rank, place: position, build });
  }

  #enqueueComplete(position: Position, { depth }: Level, build: () => Draft | null): void {
    this.#growth.enqueue({
      rank: ranks.membersAt(depth) + 3,
      place: position,
      build: () => ({ draft: build(), fallback: null }),
    });
  }

  /** Returns a schema with all its parts; null if it is circular or too large for the remaining budget. */
  #buildCompleteSchema(node: SchemaNode): Draft | null {
    const growth = new Growth(this.#growth.bytesLeft, this.#growth);
    const root: DraftObject = new Map();
    const place: Position = { parent: null, container: root, key: 'schema', isKeyword: false };
    new SchemaGrowth(growth, this.#reader).enqueue(0, place, node, createTopLevel(false));
    growth.run();
    return growth.truncatedPlaces.length === 0 ? (root.get('schema') ?? null) : null;
  }

  #buildCompleteMembers(map: ReadonlyMap<string, SchemaNode>): Draft | null {
    const members: DraftObject = new Map();
    for (const [name, node] of map) {
      const completeDraft = this.#buildCompleteSchema(node);
      if (completeDraft === null || textOf(completeDraft).length > this.#growth.bytesLeft) return null;
      members.set(name, completeDraft);
    }
    return members;
  }
}

/** Returns the names of a schema's keywords, in the order in which they are written. */
const listKeywords = ({ values, nodes, lists, maps }: Schema): readonly string[] =>
  [...values.keys(), ...nodes.keys(), ...lists.keys(), ...maps.keys()].sort((a, b) => orderOf(a) - orderOf(b));

const keywordOrder = new Map(Object.keys(schemaKeywords).map((name, index) => [name, index]));
const orderOf = (name: string): number => keywordOrder.get(name) ?? keywordOrder.size;

const deepen = (level: Level): Level => ({ ...level, depth: level.depth + 1 });

/** Queues the beginning of a text for a position, and the rest of the text after everything else. */
export function enqueueText(growth: Growth, rank: number, place: Position, value: Json | undefined): void {
  const text = typeof value === 'string' ? value.toWellFormed().trim() : '';
  if (text === '') return;
  const shortText = takeFirstCharacters(text, shortTextMax);
  if (shortText.length === text.length) {
    growth.enqueue({ rank, place, build: () => ({ draft: JSON.stringify(text), fallback: null }) });
    return;
  }
  const buildFullText = (): Part => ({ draft: JSON.stringify(text), fallback: null });
  const onAdded = () => growth.enqueue({ rank: ranks.longTexts, place, build: buildFullText });
  growth.enqueue({
    rank,
    place,
    build: () => ({ draft: JSON.stringify(`${shortText.trimEnd()}…`), fallback: null, onAdded }),
  });
}
