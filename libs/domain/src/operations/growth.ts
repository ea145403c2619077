import { bytesOf, nameBytes, type Draft, type DraftObject } from './draft.ts';

/** Where a part of a growing text stands. */
export interface Place {
  /** Null for a member of the outermost object. */
  readonly up: Place | null;
  readonly into: DraftObject | Draft[];
  /** A member's name or an item's index; `-` for an item that is to be added at the end (RFC 6901, section 4). */
  key: string | number;
  /** Whether `into` is a schema, and the key one of its keywords. */
  readonly keyword: boolean;
}

/** A part that is wanted in the text. */
export interface Offer {
  /** The lowest is tried first; equal ones in the order in which they were offered. */
  readonly rank: number;
  readonly place: Place;
  /** Makes the part, only once it is tried. */
  readonly make: () => Part;
}

export interface Part {
  /** What is to stand there; the whole of it fits or the part is cut. Null if it cannot be made. */
  readonly draft: Draft | null;
  /** What stands there if it does not fit; null to leave the place as it is. */
  readonly instead: Draft | null;
  /** Bytes that the part takes in another place as well; 0 by default. */
  readonly elsewhere?: number;
  /** Offers what belongs below the draft once it stands there. */
  readonly then?: () => void;
}

/**
 * Grows a JSON text within a budget of bytes, what matters most first: each part is added if it still fits, or is cut.
 * The work is bounded by what fits, however much a document holds.
 */
export class Growth {
  /** Bytes that are still free. Counts a comma for each part, so the text may end up a little shorter. */
  left: number;
  /** The places of what did not fit, in the order in which it was tried. */
  readonly cuts: Place[] = [];
  /** How many parts may still be made: a document may lead to any number of them that do not fit. */
  readonly #parts: { left: number };
  readonly #afterwards: (() => void)[] = [];
  readonly #offers = new Map<number, { next: number; readonly list: Offer[] }>();

  /** As a part of another one it makes no more parts than that one may. */
  constructor(bytes: number, within?: Growth) {
    this.left = bytes;
    this.#parts = within ? within.#parts : { left: Math.max(partsMin, Math.ceil(bytes / partBytesMin)) };
  }

  /** How many more parts it makes sense to offer. */
  get partsLeft(): number {
    return Math.max(0, this.#parts.left);
  }

  /** Does something when all has been tried. */
  afterwards(step: () => void): void {
    this.#afterwards.push(step);
  }

  offer(offer: Offer): void {
    const queue = this.#offers.get(offer.rank);
    if (queue) queue.list.push(offer);
    else this.#offers.set(offer.rank, { next: 0, list: [offer] });
  }

  /** Tries all offers, and those that they lead to. */
  run(): void {
    while (this.#offers.size > 0) {
      const rank = Math.min(...this.#offers.keys());
      const queue = this.#offers.get(rank);
      const offer = queue?.list[queue.next++];
      if (offer) this.#try(offer);
      else this.#offers.delete(rank);
    }
    for (const step of this.#afterwards) step();
  }

  /** Names a place whose part is not in the text, and makes the schemas around it say nothing that is then untrue. */
  cut(place: Place): void {
    this.cuts.push(place);
    loosenAround(place);
  }

  #try({ place, make }: Offer): void {
    if (this.#parts.left-- <= 0) return this.cut(place);
    const { draft, instead, elsewhere = 0, then } = make();
    if (draft !== null && this.#put(place, draft, elsewhere)) return then?.();
    if (instead !== null) this.#put(place, instead, elsewhere);
    this.cut(place);
  }

  #put(place: Place, draft: Draft, elsewhere: number): boolean {
    const { into, key } = place;
    const before = Array.isArray(into) ? into[Number(key)] : into.get(`${key}`);
    const added = Array.isArray(into) ? 1 : nameBytes(`${key}`) + 1;
    const cost = elsewhere + bytesOf(draft) + (before === null || before === undefined ? added : -bytesOf(before));
    if (cost > this.left) return false;
    this.left -= cost;
    if (!Array.isArray(into)) into.set(`${key}`, draft);
    else if (typeof key === 'number') into[key] = draft;
    else place.key = into.push(draft) - 1;
    return true;
  }
}

const partsMin = 5_000;

/** A part that fits takes more than this on average. */
const partBytesMin = 8;

const isPresent = ({ into, key }: Place): boolean =>
  Array.isArray(into) ? typeof key === 'number' : (into.get(`${key}`) ?? null) !== null;

/**
 * With a part missing, a schema should accept more, not less: without one of its properties it cannot say what else is
 * allowed, and of alternatives of which one is incomplete more than one may be met.
 */
function loosenAround(cut: Place): void {
  if (isNamed(cut, 'description', 'default', 'examples') && cut.keyword) return;
  const { up } = cut;
  const missing = !isPresent(cut);
  if (cut.keyword && isNamed(cut, 'properties', 'patternProperties')) remove(cut.into, 'additionalProperties');
  if (missing && up?.keyword && isNamed(up, 'properties', 'patternProperties')) remove(up.into, 'additionalProperties');
  let inPlace = true;
  for (let place: Place | null = cut; place; place = place.up) {
    if (!place.keyword) continue;
    if (place !== cut && isNamed(place, 'oneOf')) toAnyOf(place);
    if (inPlace) for (const name of ['unevaluatedProperties', 'unevaluatedItems']) remove(place.into, name);
    inPlace &&= isNamed(place, 'allOf', 'anyOf', 'oneOf', 'then', 'else');
  }
}

const isNamed = ({ key }: Place, ...names: readonly string[]): boolean => names.includes(`${key}`);

function remove(from: Place['into'], name: string): void {
  if (!Array.isArray(from) && from.has(name)) from.set(name, null);
}

function toAnyOf(place: Place): void {
  const { into } = place;
  if (Array.isArray(into) || (into.get('anyOf') ?? null) !== null) return;
  into.set('anyOf', into.get('oneOf') ?? null);
  into.set('oneOf', null);
  place.key = 'anyOf';
}
