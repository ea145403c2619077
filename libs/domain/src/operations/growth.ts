import { bytesOf, nameBytesOf, type Draft, type DraftObject } from './draft.ts';
import type { MissingReason } from './references.ts';

/** The position of a part in the growing text. */
export interface Position {
  /** Null for a member of the root object. */
  readonly parent: Position | null;
  readonly container: DraftObject | Draft[];
  /** A member's name or an item's index; `-` for an item to be appended (RFC 6901, section 4). */
  key: string | number;
  /** Whether the container is a schema, and the key one of its keywords. */
  readonly isKeyword: boolean;
}

/** A position whose part is not in the text, or not complete, and why. */
export interface TruncatedPlace {
  /** Null for the whole text. */
  readonly place: Position | null;
  readonly reason: MissingReason;
}

/** A part that is queued for inclusion in the text. */
export interface PendingPart {
  /** The lowest rank is tried first; parts of equal rank are tried in the order in which they were queued. */
  readonly rank: number;
  readonly place: Position;
  /** Creates the part; called only when it is tried. */
  readonly build: () => Part;
}

export interface Part {
  /** The value to insert: either all of it fits, or the part is cut. Null if it cannot be created. */
  readonly draft: Draft | null;
  /** The value to insert if the draft does not fit; null to leave the position unchanged. */
  readonly fallback: Draft | null;
  /** The number of bytes that the part also takes up at a different position; 0 by default. */
  readonly extraBytes?: number;
  /** Called after the draft is inserted, to queue the parts below it. */
  readonly onAdded?: () => void;
}

/**
 * Grows a JSON text within a budget of bytes, most important parts first: each part is added if it still fits, and cut
 * otherwise. The work is bounded by the parts that fit, regardless of the size of the document.
 */
export class Growth {
  /** The remaining bytes. Counts a comma for each part, so the final text may be slightly shorter. */
  bytesLeft: number;
  /** The positions of parts that did not fit, in the order they were tried. */
  readonly truncatedPlaces: TruncatedPlace[] = [];
  /** The number of parts that may still be created: a document may produce any number of parts that do not fit. */
  readonly #remaining: { parts: number };
  readonly #finalSteps: (() => void)[] = [];
  readonly #queues = new Map<number, { next: number; readonly parts: PendingPart[] }>();

  /** A growth within another one shares the outer one's limit on parts. */
  constructor(bytes: number, outer?: Growth) {
    this.bytesLeft = bytes;
    this.#remaining = outer ? outer.#remaining : { parts: Math.max(partsMin, Math.ceil(bytes / partBytesMin)) };
  }

  /** The number of further parts that are worth queuing. */
  get partsLeft(): number {
    return Math.max(0, this.#remaining.parts);
  }

  /** Registers a step that runs after all parts have been tried. */
  onFinish(step: () => void): void {
    this.#finalSteps.push(step);
  }

  enqueue(part: PendingPart): void {
    const queue = this.#queues.get(part.rank);
    if (queue) queue.parts.push(part);
    else this.#queues.set(part.rank, { next: 0, parts: [part] });
  }

  /** Tries all queued parts, and those that they queue. */
  run(): void {
    while (this.#queues.size > 0) {
      const rank = Math.min(...this.#queues.keys());
      const queue = this.#queues.get(rank);
      const part = queue?.parts[queue.next++];
      if (part) this.#try(part);
      else this.#queues.delete(rank);
    }
    for (const step of this.#finalSteps) step();
  }

  /**
   * Records a position whose part is not in the text, and relaxes the schemas around it so that they make no false
   * statement.
   */
  truncate(place: Position | null, reason: MissingReason = 'budget'): void {
    this.truncatedPlaces.push({ place, reason });
    if (place) loosenAround(place);
  }

  #try({ place, build }: PendingPart): void {
    if (this.#remaining.parts-- <= 0) return this.truncate(place);
    const { draft, fallback, extraBytes = 0, onAdded } = build();
    if (draft !== null && this.#put(place, draft, extraBytes)) return onAdded?.();
    if (fallback !== null) this.#put(place, fallback, extraBytes);
    this.truncate(place);
  }

  #put(place: Position, draft: Draft, extraBytes: number): boolean {
    const { container, key } = place;
    const current = Array.isArray(container) ? container[Number(key)] : container.get(`${key}`);
    const addedBytes = Array.isArray(container) ? 1 : nameBytesOf(`${key}`) + 1;
    const cost =
      extraBytes + bytesOf(draft) + (current === null || current === undefined ? addedBytes : -bytesOf(current));
    if (cost > this.bytesLeft) return false;
    this.bytesLeft -= cost;
    if (!Array.isArray(container)) container.set(`${key}`, draft);
    else if (typeof key === 'number') container[key] = draft;
    else place.key = container.push(draft) - 1;
    return true;
  }
}

const partsMin = 5_000;

/** Less than the average size of a part that fits. */
const partBytesMin = 8;

const isPresent = ({ container, key }: Position): boolean =>
  Array.isArray(container) ? typeof key === 'number' : (container.get(`${key}`) ?? null) !== null;

/**
 * If a part is missing, a schema should accept more, not less: without one of its properties, it cannot restrict
 * additional ones, and if one of its alternatives is incomplete, more than one of them may match.
 */
function loosenAround(position: Position): void {
  if (isNamed(position, 'description', 'default', 'examples') && position.isKeyword) return;
  const { parent } = position;
  const isMissing = !isPresent(position);
  if (position.isKeyword && isNamed(position, 'properties', 'patternProperties'))
    remove(position.container, 'additionalProperties');
  if (isMissing && parent?.isKeyword && isNamed(parent, 'properties', 'patternProperties'))
    remove(parent.container, 'additionalProperties');
  let isInPlace = true;
  for (let place: Position | null = position; place; place = place.parent) {
    if (!place.isKeyword) continue;
    if (place !== position && isNamed(place, 'oneOf')) toAnyOf(place);
    if (isInPlace) for (const name of ['unevaluatedProperties', 'unevaluatedItems']) remove(place.container, name);
    isInPlace &&= isNamed(place, 'allOf', 'anyOf', 'oneOf', 'then', 'else');
  }
}

const isNamed = ({ key }: Position, ...names: readonly string[]): boolean => names.includes(`${key}`);

function remove(from: Position['container'], name: string): void {
  if (!Array.isArray(from) && from.has(name)) from.set(name, null);
}

function toAnyOf(place: Position): void {
  const { container } = place;
  if (Array.isArray(container) || (container.get('anyOf') ?? null) !== null) return;
  container.set('anyOf', container.get('oneOf') ?? null);
  container.set('oneOf', null);
  place.key = 'anyOf';
}
