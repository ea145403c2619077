import { firstCharacters } from '../characters.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../json.ts';
import { textOf, utf8Length, type Draft, type DraftObject } from './draft.ts';
import { Growth, type Part, type Place } from './growth.ts';
import { resolved, type Resolved, type Source, type Trail } from './references.ts';
import { schemaKeywords, translated } from './schema-keywords.ts';

/** What a slice keeps longest comes first. */
export const ranks = {
  identity: 0,
  requiredSchemas: 1,
  requiredMembers: 2,
  curl: 3,
  optionalParameters: 4,
  optionalSchemas: 5,
  texts: 6,
  /** Optional members, by their depth: those nearest the caller first. */
  members: (depth: number): number => 10 + 4 * Math.min(depth, depthMax),
  longTexts: 10_000,
  examples: 10_001,
};

const depthMax = 1_000;

/** Values up to this size stand with their schema, larger ones on their own. */
const valueBytesMax = 300;
const shortTextMax = 200;

/** Where a schema stands within the request. */
export interface Level {
  /** Steps from a value to its part, such as a member or an item. */
  readonly depth: number;
  /** Whether every request has to hold a value of it. */
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

  /** Offers the schema `value` for a place. */
  offer(rank: number, place: Place, value: Json | undefined, level: Level): void {
    this.#growth.offer({ rank, place, make: () => this.part(place, value, level) });
  }

  /** A schema without its parts, which it offers once it is in the text. */
  part(place: Place, value: Json | undefined, level: Level): Part {
    const found = resolved(this.#source, value, level.trail);
    const { schema } = found;
    if (typeof schema === 'boolean') return { draft: schema ? '{}' : 'false', instead: null };
    const draft: DraftObject = new Map();
    const later: (() => void)[] = [];
    const inside: Level = { ...level, trail: found.trail };
    for (const [name, keyword] of translated(schema, this.#source.dialect)) {
      const at: Place = { up: place, into: draft, key: name, keyword: true };
      const kept = this.#keyword(at, keyword, inside, schema, later);
      draft.set(name, kept);
    }
    if (found.circular) later.push(() => this.#growth.cut(place));
    return { draft, instead: insteadOf(value, found), then: () => later.forEach((offer) => offer()) };
  }

  /** What stands in the schema at once; the rest is added to what it offers later. */
  #keyword(at: Place, value: Json, level: Level, schema: JsonObject, later: (() => void)[]): Draft | null {
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
        later.push(() => this.#growth.offer({ rank: last, place: at, make: () => ({ draft: text, instead: null }) }));
        return null;
      }
    }
  }

  #offerMembers(at: Place, members: DraftObject, value: Json, schema: JsonObject, level: Level): void {
    if (!isJsonObject(value)) return;
    const listed = schema['required'] ?? [];
    const names = new Set(at.key === 'properties' && isJsonArray(listed) ? listed : []);
    const rank = ranks.members(level.depth);
    this.#growth.afterwards(() => {
      if (members.size === 0 && !Array.isArray(at.into)) at.into.set(`${at.key}`, null);
    });
    // The required ones first, so that they are offered even if there is no end of them.
    const inOrder = [...Object.keys(value)].sort((a, b) => Number(names.has(b)) - Number(names.has(a)));
    if (inOrder.length > this.#growth.partsLeft) this.#growth.cut(at);
    for (const name of inOrder.slice(0, this.#growth.partsLeft)) {
      const one = value[name];
      const required = names.has(name);
      const first = required ? (level.required ? ranks.requiredMembers : rank) : rank + 1;
      const place: Place = { up: at, into: members, key: name, keyword: false };
      this.offer(first, place, one, { ...level, required: level.required && required });
    }
  }

  /** The list first, of references and of what says nothing; then each schema in its place. */
  #offerList(at: Place, value: Json, level: Level): void {
    const schemas = isJsonArray(value) ? value : [];
    const isAll = at.key === 'allOf' || at.key === 'prefixItems';
    const rank = ranks.members(level.depth);
    const shells = schemas.map((one) => insteadOf(one, resolved(this.#source, one, level.trail)));
    const then = () => {
      for (const [index, one] of schemas.entries()) {
        const place: Place = { up: at, into: shells, key: index, keyword: false };
        const inside: Level = { ...level, required: level.required && isAll };
        this.offer(level.required && isAll ? ranks.requiredMembers : rank + 1, place, one, inside);
      }
    };
    const make = (): Part => ({ draft: shells, instead: null, then });
    this.#growth.offer({ rank: level.required ? ranks.requiredMembers : rank, place: at, make });
  }

  #offerWhole(rank: number, at: Place, value: Json, level: Level): void {
    const make = (): Part => {
      const whole = at.key === 'dependentSchemas' ? this.#wholeNames(value, level) : this.#whole(value, level);
      return { draft: whole, instead: null };
    };
    this.#growth.offer({ rank, place: at, make });
  }

  /** A schema with all its parts; null if it is circular or too large for what is left. */
  #whole(value: Json, { trail }: Level): Draft | null {
    const growth = new Growth(this.#growth.left, this.#growth);
    const root: DraftObject = new Map();
    const place: Place = { up: null, into: root, key: 'schema', keyword: false };
    new SchemaGrowth(growth, this.#source).offer(0, place, value, { ...topLevel(false), trail });
    growth.run();
    return growth.cuts.length === 0 ? (root.get('schema') ?? null) : null;
  }

  #wholeNames(value: Json, level: Level): Draft | null {
    const names: DraftObject = new Map();
    for (const [name, one] of Object.entries(isJsonObject(value) ? value : {})) {
      const whole = this.#whole(one, level);
      if (whole === null || textOf(whole).length > this.#growth.left) return null;
      names.set(name, whole);
    }
    return names;
  }
}

/** What stands for a schema that is not in the text: its name, if it has one. */
const insteadOf = (value: Json | undefined, { schema }: Resolved): Draft => {
  const reference = isJsonObject(value) ? value['$ref'] : undefined;
  if (typeof reference === 'string') return new Map([['$ref', JSON.stringify(reference)]]);
  return schema === false ? 'false' : '{}';
};

/** Offers the beginning of a text for a place, and the rest of it last of all. */
export function offerText(growth: Growth, rank: number, place: Place, value: Json | undefined): void {
  const text = typeof value === 'string' ? value.toWellFormed().trim() : '';
  if (text === '') return;
  const short = firstCharacters(text, shortTextMax);
  if (short.length === text.length) {
    growth.offer({ rank, place, make: () => ({ draft: JSON.stringify(text), instead: null }) });
    return;
  }
  const whole = (): Part => ({ draft: JSON.stringify(text), instead: null });
  const then = () => growth.offer({ rank: ranks.longTexts, place, make: whole });
  growth.offer({ rank, place, make: () => ({ draft: JSON.stringify(`${short.trimEnd()}…`), instead: null, then }) });
}
