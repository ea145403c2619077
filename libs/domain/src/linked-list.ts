/** A value's place in one list. */
export interface ListPlace<Value> {
  readonly value: Value;
}

interface Place<Value> extends ListPlace<Value> {
  before: Place<Value> | null;
  after: Place<Value> | null;
}

/**
 * A doubly linked list, for values that come and go with each request. A `Set` makes a new table whenever it has grown
 * or shrunk, and in V8 each table leads to the next one: once a discarded table is in the old generation, all that came
 * after it stay in memory, with what they refer to, until the next full collection.
 */
export class LinkedList<Value> {
  #first: Place<Value> | null = null;
  #last: Place<Value> | null = null;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get first(): ListPlace<Value> | null {
    return this.#first;
  }

  /** Adds a value at the end; returns its place, by which it can be removed. */
  add(value: Value): ListPlace<Value> {
    const place: Place<Value> = { value, before: this.#last, after: null };
    if (this.#last) this.#last.after = place;
    else this.#first = place;
    this.#last = place;
    this.#size += 1;
    return place;
  }

  /** Returns false if it was removed before. */
  remove(removed: ListPlace<Value>): boolean {
    const place = removed as Place<Value>;
    const { before, after } = place;
    if (!before && this.#first !== place) return false;
    if (before) before.after = after;
    else this.#first = after;
    if (after) after.before = before;
    else this.#last = before;
    // A place that is kept leads to no other.
    place.before = place.after = null;
    this.#size -= 1;
    return true;
  }

  /** In the order in which they were added. Only the place that was returned last may be removed meanwhile. */
  *places(): Generator<ListPlace<Value>> {
    for (let place = this.#first; place;) {
      const { after } = place;
      yield place;
      place = after;
    }
  }
}
