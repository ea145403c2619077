import { takeFirstCharacters } from '../characters.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../json.ts';
import { textOf, utf8LengthOf, type Draft, type DraftObject } from './draft.ts';
import { Growth, type Part, type Position } from './growth.ts';
import { resolveReference, type Resolution, type Source, type Trail } from './references.ts';
import { schemaKeywords, translateSchema } from './schema-keywords.ts';

/** The ranks of parts: parts with lower ranks are added first. */
export const ranks = {
  identity: 0,
  requiredSchemas: 1,
  requiredMembers: 2,
  curl: 3,
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

/** The position of a schema within the request. */
export interface Level {
  /** How deep the schema is nested: each member or item is one level deeper. */
  readonly depth: number;
  /** Whether every request must contain a value for this schema. */
  readonly isRequired: boolean;
  readonly trail: Trail | null;
}

export const createTopLevel = (isRequired: boolean): Level => ({ depth: 0, isRequired, trail: null });

/** Adds schemas to a growing text: their parts are queued one by one, breadth first. */
export class SchemaGrowth {
  readonly #growth: Growth;
  readonly #source: Source;

  constructor(growth: Growth, source: Source) {
    this.#growth = growth;
    this.#source = source;
  }

  /** Queues the schema `value` for a position. */
  enqueue(rank: number, place: Position, value: Json | undefined, level: Level): void {
    this.#growth.enqueue({ rank, place, build: () => this.buildPart(place, value, level) });
  }

  /** Returns a schema without its parts, which are queued once the schema is in the text. */
  buildPart(place: Position, value: Json | undefined, level: Level): Part {
    const resolution = resolveReference(this.#source, value, level.trail);
    const { schema } = resolution;
    if (typeof schema === 'boolean') return { draft: schema ? '{}' : 'false', fallback: null };
    const draft: DraftObject = new Map();
    const deferredSteps: (() => void)[] = [];
    const nestedLevel: Level = { ...level, trail: resolution.trail };
    for (const [name, keyword] of translateSchema(schema, this.#source.dialect)) {
      const position: Position = { parent: place, container: draft, key: name, isKeyword: true };
      const keywordDraft = this.#buildKeyword(position, keyword, nestedLevel, schema, deferredSteps);
      draft.set(name, keywordDraft);
    }
    if (resolution.isCircular) deferredSteps.push(() => this.#growth.truncate(place));
    return {
      draft,
      fallback: fallbackOf(value, resolution),
      onAdded: () => deferredSteps.forEach((enqueue) => enqueue()),
    };
  }

  /**
   * Returns the part of the keyword that is included in the schema immediately; the rest is appended to `deferredSteps`, to be
   * queued afterwards.
   */
  #buildKeyword(
    position: Position,
    value: Json,
    level: Level,
    schema: JsonObject,
    deferredSteps: (() => void)[],
  ): Draft | null {
    const name = `${position.key}`;
    const rank = ranks.membersAt(level.depth);
    const childLevel: Level = { ...level, depth: level.depth + 1 };
    switch (schemaKeywords[name]?.kind) {
      case 'text':
        deferredSteps.push(() => enqueueText(this.#growth, rank + 2, position, value));
        return null;
      case 'names': {
        const members: DraftObject = new Map();
        deferredSteps.push(() => this.#enqueueMembers(position, members, value, schema, childLevel));
        return members;
      }
      case 'schema':
        if (typeof value === 'boolean') return String(value);
        deferredSteps.push(() =>
          this.enqueue(level.isRequired ? ranks.requiredMembers : rank + 4, position, value, childLevel),
        );
        return null;
      case 'schemas':
        deferredSteps.push(() => this.#enqueueList(position, value, name === 'prefixItems' ? childLevel : level));
        return null;
      case 'exact':
      case 'exactNames':
        if (typeof value === 'boolean') return String(value);
        deferredSteps.push(() => this.#enqueueCompleteSchema(rank + 3, position, value, level));
        return null;
      default: {
        const text = JSON.stringify(value);
        if (name !== 'examples' && (name === 'required' || utf8LengthOf(text) <= valueBytesMax)) return text;
        const valueRank = name === 'examples' ? ranks.examples : name === 'default' ? ranks.longTexts : rank + 3;
        deferredSteps.push(() =>
          this.#growth.enqueue({ rank: valueRank, place: position, build: () => ({ draft: text, fallback: null }) }),
        );
        return null;
      }
    }
  }

  #enqueueMembers(position: Position, members: DraftObject, value: Json, schema: JsonObject, level: Level): void {
    if (!isJsonObject(value)) return;
    const requiredNames = schema['required'] ?? [];
    const names = new Set(position.key === 'properties' && isJsonArray(requiredNames) ? requiredNames : []);
    const rank = ranks.membersAt(level.depth);
    this.#growth.onFinish(() => {
      if (members.size === 0 && !Array.isArray(position.container)) position.container.set(`${position.key}`, null);
    });
    // Required members come first, so that they are queued even if there are many members.
    const sortedNames = [...Object.keys(value)].sort((a, b) => Number(names.has(b)) - Number(names.has(a)));
    if (sortedNames.length > this.#growth.partsLeft) this.#growth.truncate(position);
    for (const name of sortedNames.slice(0, this.#growth.partsLeft)) {
      const subschema = value[name];
      const isRequired = names.has(name);
      const memberRank = isRequired ? (level.isRequired ? ranks.requiredMembers : rank) : rank + 1;
      const place: Position = { parent: position, container: members, key: name, isKeyword: false };
      this.enqueue(memberRank, place, subschema, { ...level, isRequired: level.isRequired && isRequired });
    }
  }

  /** Queues the list first, with references and empty schemas; then each schema at its position. */
  #enqueueList(position: Position, value: Json, level: Level): void {
    const schemas = isJsonArray(value) ? value : [];
    const allSchemasApply = position.key === 'allOf' || position.key === 'prefixItems';
    const rank = ranks.membersAt(level.depth);
    const placeholders = schemas.map((subschema) =>
      fallbackOf(subschema, resolveReference(this.#source, subschema, level.trail)),
    );
    const onAdded = () => {
      for (const [index, subschema] of schemas.entries()) {
        const place: Position = { parent: position, container: placeholders, key: index, isKeyword: false };
        const nestedLevel: Level = { ...level, isRequired: level.isRequired && allSchemasApply };
        this.enqueue(
          level.isRequired && allSchemasApply ? ranks.requiredMembers : rank + 1,
          place,
          subschema,
          nestedLevel,
        );
      }
    };
    const build = (): Part => ({ draft: placeholders, fallback: null, onAdded });
    this.#growth.enqueue({ rank: level.isRequired ? ranks.requiredMembers : rank, place: position, build });
  }

  #enqueueCompleteSchema(rank: number, position: Position, value: Json, level: Level): void {
    const build = (): Part => {
      const completeDraft =
        position.key === 'dependentSchemas'
          ? this.#buildCompleteMembers(value, level)
          : this.#buildCompleteSchema(value, level);
      return { draft: completeDraft, fallback: null };
    };
    this.#growth.enqueue({ rank, place: position, build });
  }

  /** Returns a schema with all its parts; null if it is circular or too large for the remaining budget. */
  #buildCompleteSchema(value: Json, { trail }: Level): Draft | null {
    const growth = new Growth(this.#growth.bytesLeft, this.#growth);
    const root: DraftObject = new Map();
    const place: Position = { parent: null, container: root, key: 'schema', isKeyword: false };
    new SchemaGrowth(growth, this.#source).enqueue(0, place, value, { ...createTopLevel(false), trail });
    growth.run();
    return growth.truncatedPlaces.length === 0 ? (root.get('schema') ?? null) : null;
  }

  #buildCompleteMembers(value: Json, level: Level): Draft | null {
    const members: DraftObject = new Map();
    for (const [name, subschema] of Object.entries(isJsonObject(value) ? value : {})) {
      const completeDraft = this.#buildCompleteSchema(subschema, level);
      if (completeDraft === null || textOf(completeDraft).length > this.#growth.bytesLeft) return null;
      members.set(name, completeDraft);
    }
    return members;
  }
}

/** Returns the replacement for a schema that is not in the text: its reference, if it has one. */
const fallbackOf = (value: Json | undefined, { schema }: Resolution): Draft => {
  const reference = isJsonObject(value) ? value['$ref'] : undefined;
  if (typeof reference === 'string') return new Map([['$ref', JSON.stringify(reference)]]);
  return schema === false ? 'false' : '{}';
};

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
