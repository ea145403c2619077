import { firstCharacters } from '../characters.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../json.ts';
import { textOf, utf8Length, type Draft, type DraftObject } from './draft.ts';
import { Growth, type Part, type Position } from './growth.ts';
import { resolveReference, type Resolved, type Source, type Trail } from './references.ts';
import { schemaKeywords, translateSchema } from './schema-keywords.ts';

/** The ranks of parts: parts with lower ranks are kept longest. */
export const ranks = {
  identity: 0,
  requiredSchemas: 1,
  requiredMembers: 2,
  curl: 3,
  optionalParameters: 4,
  optionalSchemas: 5,
  texts: 6,
  /** Optional members by depth: those closest to the root come first. */
  members: (depth: number): number => 10 + 4 * Math.min(depth, depthMax),
  longTexts: 10_000,
  examples: 10_001,
};

const depthMax = 1_000;

/** Values up to this size are included with their schema; larger ones are offered separately. */
const valueBytesMax = 300;
const shortTextMax = 200;

/** The position of a schema within the request. */
export interface Level {
  /** The number of steps from a value to its part, such as a member or an item. */
  readonly depth: number;
  /** Whether every request must contain a value for this schema. */
  readonly required: boolean;
  readonly trail: Trail | null;
}

export const topLevel = (required: boolean): Level => ({ depth: 0, required, trail: null });

/** Adds schemas to a growing text: their parts are offered one by one, breadth first. */
export class SchemaGrowth {
  readonly #growth: Growth;
  readonly #source: Source;

  constructor(growth: Growth, source: Source) {
    this.#growth = growth;
    this.#source = source;
  }

  /** Offers the schema `value` for a position. */
  offer(rank: number, place: Position, value: Json | undefined, level: Level): void {
    this.#growth.offer({ rank, place, make: () => this.part(place, value, level) });
  }

  /** Returns a schema without its parts, which are offered once the schema is in the text. */
  part(place: Position, value: Json | undefined, level: Level): Part {
    const resolution = resolveReference(this.#source, value, level.trail);
    const { schema } = resolution;
    if (typeof schema === 'boolean') return { draft: schema ? '{}' : 'false', fallback: null };
    const draft: DraftObject = new Map();
    const later: (() => void)[] = [];
    const nested: Level = { ...level, trail: resolution.trail };
    for (const [name, keyword] of translateSchema(schema, this.#source.dialect)) {
      const at: Position = { parent: place, container: draft, key: name, keyword: true };
      const part = this.#keyword(at, keyword, nested, schema, later);
      draft.set(name, part);
    }
    if (resolution.circular) later.push(() => this.#growth.cut(place));
    return { draft, fallback: fallbackOf(value, resolution), then: () => later.forEach((offer) => offer()) };
  }

  /**
   * Returns the part of the keyword that is included in the schema immediately; the rest is appended to `later`, to be
   * offered afterwards.
   */
  #keyword(at: Position, value: Json, level: Level, schema: JsonObject, later: (() => void)[]): Draft | null {
    const name = `${at.key}`;
    const rank = ranks.members(level.depth);
    const below: Level = { ...level, depth: level.depth + 1 };
    switch (schemaKeywords[name]?.kind) {
      case 'text':
        later.push(() => offerText(this.#growth, rank + 2, at, value));
        return null;
      case 'names': {
        const members: DraftObject = new Map();
        later.push(() => this.#offerMembers(at, members, value, schema, below));
        return members;
      }
      case 'schema':
        if (typeof value === 'boolean') return String(value);
        later.push(() => this.offer(level.required ? ranks.requiredMembers : rank + 4, at, value, below));
        return null;
      case 'schemas':
        later.push(() => this.#offerList(at, value, name === 'prefixItems' ? below : level));
        return null;
      case 'exact':
      case 'exactNames':
        if (typeof value === 'boolean') return String(value);
        later.push(() => this.#offerWhole(rank + 3, at, value, level));
        return null;
      default: {
        const text = JSON.stringify(value);
        if (name !== 'examples' && (name === 'required' || utf8Length(text) <= valueBytesMax)) return text;
        const last = name === 'examples' ? ranks.examples : name === 'default' ? ranks.longTexts : rank + 3;
        later.push(() => this.#growth.offer({ rank: last, place: at, make: () => ({ draft: text, fallback: null }) }));
        return null;
      }
    }
  }

  #offerMembers(at: Position, members: DraftObject, value: Json, schema: JsonObject, level: Level): void {
    if (!isJsonObject(value)) return;
    const declared = schema['required'] ?? [];
    const names = new Set(at.key === 'properties' && isJsonArray(declared) ? declared : []);
    const rank = ranks.members(level.depth);
    this.#growth.afterwards(() => {
      if (members.size === 0 && !Array.isArray(at.container)) at.container.set(`${at.key}`, null);
    });
    // Required members come first, so that they are offered even if there are many members.
    const inOrder = [...Object.keys(value)].sort((a, b) => Number(names.has(b)) - Number(names.has(a)));
    if (inOrder.length > this.#growth.partsLeft) this.#growth.cut(at);
    for (const name of inOrder.slice(0, this.#growth.partsLeft)) {
      const one = value[name];
      const required = names.has(name);
      const first = required ? (level.required ? ranks.requiredMembers : rank) : rank + 1;
      const place: Position = { parent: at, container: members, key: name, keyword: false };
      this.offer(first, place, one, { ...level, required: level.required && required });
    }
  }

  /** Offers the list first, with references and empty schemas; then each schema at its position. */
  #offerList(at: Position, value: Json, level: Level): void {
    const schemas = isJsonArray(value) ? value : [];
    const isAll = at.key === 'allOf' || at.key === 'prefixItems';
    const rank = ranks.members(level.depth);
    const placeholders = schemas.map((one) => fallbackOf(one, resolveReference(this.#source, one, level.trail)));
    const then = () => {
      for (const [index, one] of schemas.entries()) {
        const place: Position = { parent: at, container: placeholders, key: index, keyword: false };
        const nested: Level = { ...level, required: level.required && isAll };
        this.offer(level.required && isAll ? ranks.requiredMembers : rank + 1, place, one, nested);
      }
    };
    const make = (): Part => ({ draft: placeholders, fallback: null, then });
    this.#growth.offer({ rank: level.required ? ranks.requiredMembers : rank, place: at, make });
  }

  #offerWhole(rank: number, at: Position, value: Json, level: Level): void {
    const make = (): Part => {
      const whole = at.key === 'dependentSchemas' ? this.#wholeNames(value, level) : this.#whole(value, level);
      return { draft: whole, fallback: null };
    };
    this.#growth.offer({ rank, place: at, make });
  }

  /** Returns a schema with all its parts; null if it is circular or too large for the remaining budget. */
  #whole(value: Json, { trail }: Level): Draft | null {
    const growth = new Growth(this.#growth.bytesLeft, this.#growth);
    const root: DraftObject = new Map();
    const place: Position = { parent: null, container: root, key: 'schema', keyword: false };
    new SchemaGrowth(growth, this.#source).offer(0, place, value, { ...topLevel(false), trail });
    growth.run();
    return growth.cuts.length === 0 ? (root.get('schema') ?? null) : null;
  }

  #wholeNames(value: Json, level: Level): Draft | null {
    const names: DraftObject = new Map();
    for (const [name, one] of Object.entries(isJsonObject(value) ? value : {})) {
      const whole = this.#whole(one, level);
      if (whole === null || textOf(whole).length > this.#growth.bytesLeft) return null;
      names.set(name, whole);
    }
    return names;
  }
}

/** Returns the replacement for a schema that is not in the text: its reference, if it has one. */
const fallbackOf = (value: Json | undefined, { schema }: Resolved): Draft => {
  const reference = isJsonObject(value) ? value['$ref'] : undefined;
  if (typeof reference === 'string') return new Map([['$ref', JSON.stringify(reference)]]);
  return schema === false ? 'false' : '{}';
};

/** Offers the beginning of a text for a position, and the rest of the text after everything else. */
export function offerText(growth: Growth, rank: number, place: Position, value: Json | undefined): void {
  const text = typeof value === 'string' ? value.toWellFormed().trim() : '';
  if (text === '') return;
  const short = firstCharacters(text, shortTextMax);
  if (short.length === text.length) {
    growth.offer({ rank, place, make: () => ({ draft: JSON.stringify(text), fallback: null }) });
    return;
  }
  const whole = (): Part => ({ draft: JSON.stringify(text), fallback: null });
  const then = () => growth.offer({ rank: ranks.longTexts, place, make: whole });
  growth.offer({ rank, place, make: () => ({ draft: JSON.stringify(`${short.trimEnd()}…`), fallback: null, then }) });
}
