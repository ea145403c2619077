import type { Json } from '../../json.ts';
import { Containment, noExceptions, type Exceptions } from './containment.ts';
import { segmentOf, type Child, type Difference, type SchemaPair, type Step } from './difference.ts';
import type { Form, TypeName } from './form.ts';
import { samplesOfPattern } from './pattern-samples.ts';
import { SchemaEquality } from './schema-equality.ts';
import type { UnchangedParts } from '../unchanged-parts.ts';
import { SchemaPairs } from './schema-pairs.ts';
import type { SchemaNode, SchemaSpace } from './schema-space.ts';
import { ValueValidator } from './validate-value.ts';

/** Whether the values are sent by callers, or received by them. */
export type Direction = 'request' | 'response';

/** A difference, and its effect on the values of the whole schema. */
export interface LocatedDifference {
  readonly difference: Difference;
  /** The schemas at its position. */
  readonly before: SchemaNode;
  readonly after: SchemaNode;
  /** A JSON Pointer into the values; `''` for the whole value. */
  readonly place: string;
  /**
   * Whether values are affected: `breaking` with an example, `none` if the schemas at its position accept the same as
   * before or more, `unknown` if neither could be shown.
   */
  readonly effect: 'breaking' | 'none' | 'unknown';
  /**
   * A value of the whole schema that was valid and is not any more; in responses, one that was not valid and now is.
   */
  readonly example: Json | undefined;
}

const exceptionsOf: Readonly<Record<Direction, Exceptions>> = {
  request: { hiddenFlag: 'readOnly', sendsDeclaredOnly: true, fillsDefaults: true },
  response: { hiddenFlag: 'writeOnly', sendsDeclaredOnly: false, fillsDefaults: false },
};

const [differencesMax, candidatesMax] = [200, 12];

/** One pair on the way from the whole schema to a difference. */
interface Visit {
  readonly pair: SchemaPair;
  readonly parent: { readonly visit: Visit; readonly step: Step } | null;
}

/** Compares the schemas of two documents in one direction. */
export class SchemaComparison {
  readonly #pairs: SchemaPairs;
  readonly #direction: Direction;
  readonly #wide: SchemaSpace;
  readonly #narrow: SchemaSpace;
  readonly #before: SchemaSpace;
  readonly #after: SchemaSpace;
  readonly #explored = new Set<SchemaPair>();
  /** The pairs with differences of their own. */
  readonly #changedPairs = new Set<SchemaPair>();
  /** Those, and the pairs that contain them. */
  readonly #differentPairs = new Set<SchemaPair>();
  readonly #differentChildren = new Map<SchemaPair, readonly Child[]>();
  readonly #parents = new Map<SchemaPair, SchemaPair[]>();

  constructor(before: SchemaSpace, after: SchemaSpace, direction: Direction, unchangedParts: UnchangedParts) {
    const equality = new SchemaEquality(before, after);
    const [narrow, wide] = direction === 'request' ? [before, after] : [after, before];
    this.#before = before;
    this.#after = after;
    this.#direction = direction;
    this.#narrow = narrow;
    this.#wide = wide;
    const containment = new Containment({ narrow, wide, equality }, exceptionsOf[direction]);
    const reverse = new Containment({ narrow: wide, wide: narrow, equality }, noExceptions);
    this.#pairs = new SchemaPairs(containment, reverse, unchangedParts);
  }

  /** Whether the values after the change are accepted as before, for certain. */
  isContained(before: Json | undefined, after: Json | undefined): boolean {
    return this.#pairs.containment.isContained(...this.#nodesOf(before, after));
  }

  /** Returns the types of a schema of the earlier document. */
  typesBefore(schema: Json | undefined): ReadonlySet<TypeName> {
    return this.#before.nodeOf(schema).form.types;
  }

  defaultBefore(schema: Json | undefined): Json | undefined {
    return defaultOf(this.#before.nodeOf(schema));
  }

  defaultAfter(schema: Json | undefined): Json | undefined {
    return defaultOf(this.#after.nodeOf(schema));
  }

  /** Whether a schema of numbers, booleans or texts became one of any text. */
  becameText(before: Json | undefined, after: Json | undefined): boolean {
    const [form, newForm] = [this.#before.nodeOf(before).form, this.#after.nodeOf(after).form];
    return (
      form.unions.length === 0 && [...form.types].every((type) => scalarTypes.has(type)) && acceptsAnyText(newForm)
    );
  }

  /** Returns the differences of two schemas, nearest to the whole value first; at most 200. */
  compare(before: Json | undefined, after: Json | undefined): readonly LocatedDifference[] {
    const [narrow, wide] = this.#nodesOf(before, after);
    const root = this.#pairs.pairOf(narrow, wide);
    this.#explore(root);
    if (!this.#differentPairs.has(root)) return [];
    const results: LocatedDifference[] = [];
    const visited = new Set<SchemaPair>([root]);
    const queue: Visit[] = [{ pair: root, parent: null }];
    let remaining = this.#changedPairs.size;
    for (const visit of queue) {
      if (this.#changedPairs.has(visit.pair)) remaining--;
      for (const difference of visit.pair.differences) {
        if (results.length < differencesMax && this.#before.budget.spend(30))
          results.push(this.#locate(difference, visit, root));
      }
      if (remaining === 0) break;
      for (const { step, pair } of this.#differentChildrenOf(visit.pair)) {
        if (visited.has(pair)) continue;
        visited.add(pair);
        queue.push({ pair, parent: { visit, step } });
      }
    }
    return results;
  }

  /** Returns the children of an explored pair from which a difference can be reached. */
  #differentChildrenOf(pair: SchemaPair): readonly Child[] {
    let children = this.#differentChildren.get(pair);
    if (!children) {
      children = pair.children.filter((child) => this.#differentPairs.has(child.pair));
      this.#differentChildren.set(pair, children);
    }
    return children;
  }

  #nodesOf(before: Json | undefined, after: Json | undefined): readonly [SchemaNode, SchemaNode] {
    return this.#direction === 'request'
      ? [this.#narrow.nodeOf(before), this.#wide.nodeOf(after)]
      : [this.#narrow.nodeOf(after), this.#wide.nodeOf(before)];
  }

  /** Finds the pairs from which a difference can be reached. */
  #explore(root: SchemaPair): void {
    const pending = [root];
    const changed: SchemaPair[] = [];
    for (let pair = pending.pop(); pair; pair = pending.pop()) {
      if (this.#explored.has(pair) || !this.#before.budget.spend(5)) continue;
      this.#explored.add(pair);
      if (pair.differences.length > 0) {
        changed.push(pair);
        this.#changedPairs.add(pair);
      }
      for (const { pair: child } of pair.children) {
        const parents = this.#parents.get(child);
        if (parents) parents.push(pair);
        else this.#parents.set(child, [pair]);
        if (this.#differentPairs.has(child)) changed.push(pair);
        pending.push(child);
      }
    }
    for (let pair = changed.pop(); pair; pair = changed.pop()) {
      if (this.#differentPairs.has(pair)) continue;
      this.#differentPairs.add(pair);
      changed.push(...(this.#parents.get(pair) ?? []));
    }
  }

  #locate(difference: Difference, visit: Visit, root: SchemaPair): LocatedDifference {
    const { narrow, wide } = visit.pair;
    const [before, after] = this.#direction === 'request' ? [narrow, wide] : [wide, narrow];
    const result = { difference, before, after, place: placeOf(visit) };
    if (difference.effect !== 'tightened' || difference.isExcepted)
      return { ...result, effect: 'none', example: undefined };
    const example = this.#findExample(difference, visit, root);
    if (example !== undefined) return { ...result, effect: 'breaking', example };
    const { containment } = this.#pairs;
    const isContained = containment.isContained(narrow, wide) || containment.isContained(root.narrow, root.wide);
    return { ...result, effect: isContained ? 'none' : 'unknown', example: undefined };
  }

  /** Returns a value of the whole schema that only the narrow side accepts. */
  #findExample(difference: Difference, visit: Visit, root: SchemaPair): Json | undefined {
    for (const candidate of difference.candidates().slice(0, candidatesMax)) {
      const value = this.#lift(candidate, visit);
      if (value === undefined || new ValueValidator(this.#narrow).accepts(root.narrow, value) !== true) continue;
      if (new ValueValidator(this.#wide).accepts(root.wide, value) === false) return value;
    }
    return undefined;
  }

  /** Returns a value of the whole schema that contains a part; undefined if none was found. */
  #lift(part: Json, { parent }: Visit): Json | undefined {
    let value: Json | undefined = part;
    for (let next = parent; next && value !== undefined; next = next.visit.parent)
      value = this.#pairs.candidates.sampler.complete(
        next.visit.pair.narrow,
        this.#contain(value, next.step, next.visit.pair.narrow),
      );
    return value;
  }

  /** Returns the smallest value that has a part at that step; undefined if none was found. */
  #contain(part: Json, step: Step, { form }: SchemaNode): Json | undefined {
    const { sampler } = this.#pairs.candidates;
    switch (step.kind) {
      case 'member':
        return { [step.name]: part };
      case 'matching member': {
        const [name] = samplesOfPattern(step.pattern);
        return name === undefined ? undefined : { [name]: part };
      }
      case 'other member': {
        const [name] = sampler.freshNames(form);
        return name === undefined ? undefined : { [name]: part };
      }
      case 'item':
      case 'items': {
        const index = step.kind === 'item' ? step.index : Math.max(0, ...form.items.map(({ first }) => first.length));
        const items: Json[] = [];
        while (items.length < index) {
          const item = sampler.nextItem(form, items);
          if (item === undefined) return undefined;
          items.push(item);
        }
        return [...items, part];
      }
      case 'alternative':
        return part;
    }
  }
}

const placeOf = ({ parent }: Visit): string => (parent ? placeOf(parent.visit) + segmentOf(parent.step) : '');

const defaultOf = ({ fragments }: SchemaNode): Json | undefined =>
  fragments.map(({ keywords }) => keywords.get('default')).find((value) => value !== undefined);

const scalarTypes: ReadonlySet<TypeName> = new Set(['string', 'number', 'boolean']);

const acceptsAnyText = (form: Form): boolean =>
  form.types.has('string') &&
  form.minLength === 0 &&
  form.maxLength === Infinity &&
  form.values === null &&
  [form.patterns, form.formats, form.unions, form.opaque].every(({ length }) => length === 0);
