import { isJsonArray, isJsonObject, type Json } from '../../json.ts';
import { schemaKeywords } from '../../operations/schema-keywords.ts';
import { isAnnotation } from './members.ts';
import { valueKeyOf } from './json-value.ts';
import type { Fragment } from './fragment.ts';
import type { SchemaSpace } from './schema-space.ts';

/** How deep schemas may be within each other; deeper ones are taken to differ. */
const depthMax = 300;

/**
 * Whether schemas of two documents have the same limits, keyword by keyword. Their references and annotations may
 * differ.
 */
export class SchemaEquality {
  readonly before: SchemaSpace;
  readonly #after: SchemaSpace;
  /**
   * Pairs that are the same, or are being compared: schemas that contain themselves are the same unless they differ.
   */
  readonly #samePairs = new Set<string>();
  readonly #differentPairs = new Set<string>();
  #depth = 0;

  constructor(before: SchemaSpace, after: SchemaSpace) {
    this.before = before;
    this.#after = after;
  }

  isSame(before: Json | undefined, after: Json | undefined): boolean {
    return this.isSameFragment(this.before.read(before), this.#after.read(after));
  }

  isSameFragment(before: Fragment, after: Fragment): boolean {
    if (!this.before.budget.spend(3) || this.#depth > depthMax) return false;
    const pair = `${before.id} ${after.id}`;
    if (this.#samePairs.has(pair)) return true;
    if (this.#differentPairs.has(pair)) return false;
    this.#samePairs.add(pair);
    this.#depth++;
    const isSame = this.#compare(before, after);
    this.#depth--;
    if (isSame) return true;
    this.#differentPairs.add(pair);
    // Others may have relied on this pair: they are compared again.
    this.#samePairs.clear();
    return false;
  }

  #compare(before: Fragment, after: Fragment): boolean {
    if (before.isNever !== after.isNever || before.isOpaque !== after.isOpaque) return false;
    const [names, otherNames] = [before, after].map(({ keywords }) =>
      [...keywords.keys()].filter((name) => !isAnnotation(name)),
    );
    if (names?.length !== otherNames?.length || before.allOf.length !== after.allOf.length) return false;
    return (
      before.allOf.every((part, index) => this.isSame(part, after.allOf[index])) &&
      (names ?? []).every((name) => this.#isSameKeyword(name, before.keywords.get(name), after.keywords.get(name)))
    );
  }

  #isSameKeyword(name: string, before: Json | undefined, after: Json | undefined): boolean {
    if (before === undefined || after === undefined) return false;
    switch (schemaKeywords[name]?.kind) {
      case 'schema':
      case 'exact':
        return this.isSame(before, after);
      case 'schemas':
        return isJsonArray(before) && isJsonArray(after) && before.length === after.length
          ? before.every((item, index) => this.isSame(item, after[index]))
          : false;
      case 'names':
      case 'exactNames': {
        if (!isJsonObject(before) || !isJsonObject(after)) return false;
        const keys = Object.keys(before);
        return (
          keys.length === Object.keys(after).length &&
          keys.every((key) => Object.hasOwn(after, key) && this.isSame(before[key], after[key]))
        );
      }
      default:
        return valueKeyOf(before) === valueKeyOf(after);
    }
  }
}
