/** A node of a list. */
export interface ListNode<Value> {
  readonly value: Value;
}

interface LinkedNode<Value> extends ListNode<Value> {
  previous: LinkedNode<Value> | null;
  next: LinkedNode<Value> | null;
}

/**
 * A doubly linked list, for values that are added and removed with each request. A `Set` allocates a new table whenever
 * it has grown or shrunk, and in V8 each table refers to the next one: once a discarded table is in the old generation,
 * all later ones remain in memory, with everything they refer to, until the next full collection.
 */
export class LinkedList<Value> {
  #first: LinkedNode<Value> | null = null;
  #last: LinkedNode<Value> | null = null;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get first(): ListNode<Value> | null {
    return this.#first;
  }

  /** Appends a value; returns its node, which can be passed to `remove`. */
  add(value: Value): ListNode<Value> {
    const node: LinkedNode<Value> = { value, previous: this.#last, next: null };
    if (this.#last) this.#last.next = node;
    else this.#first = node;
    this.#last = node;
    this.#size += 1;
    return node;
  }

  /** Removes a node; returns false if it was already removed. */
  remove(target: ListNode<Value>): boolean {
    const node = target as LinkedNode<Value>;
    const { previous, next } = node;
    if (!previous && this.#first !== node) return false;
    if (previous) previous.next = next;
    else this.#first = next;
    if (next) next.previous = previous;
    else this.#last = previous;
    // A removed node that is still referenced must not keep other nodes alive.
    node.previous = node.next = null;
    this.#size -= 1;
    return true;
  }

  /** Yields the nodes in insertion order. Only the last yielded node may be removed during iteration. */
  *iterateNodes(): Generator<ListNode<Value>> {
    for (let node = this.#first; node;) {
      const { next } = node;
      yield node;
      node = next;
    }
  }
}
