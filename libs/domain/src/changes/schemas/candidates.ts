import { isJsonArray, isJsonObject, type Json } from '../../json.ts';
import { isNumber } from '../../operations/numbers.ts';
import type { Form } from './form.ts';
import { valueKeyOf } from './json-value.ts';
import type { LooseLimit } from './loose-limits.ts';
import { declaredNamesOf, memberNodeOf } from './members.ts';
import { numbersNear, textsNear } from './scalar-samples.ts';
import type { SchemaNode, SchemaSpace } from './schema-space.ts';
import { ValueValidator } from './validate-value.ts';
import type { ValueSampler } from './value-sampler.ts';

const sizeMax = 2_000;

/** Creates values that one schema accepts and another one may reject. */
export class Candidates {
  readonly #narrow: SchemaSpace;
  readonly #wide: SchemaSpace;
  readonly sampler: ValueSampler;

  constructor(narrow: SchemaSpace, wide: SchemaSpace, sampler: ValueSampler) {
    this.#narrow = narrow;
    this.#wide = wide;
    this.sampler = sampler;
  }

  /** Returns values of the narrow set that exceed a limit of the wide one. */
  exceeding(narrow: SchemaNode, wide: SchemaNode, { keyword, subject, limit }: LooseLimit): readonly Json[] {
    const limitNode = this.#wide.nodeOf(limit);
    const validator = new ValueValidator(this.#wide);
    const values = [...this.#valuesFor(keyword, subject, narrow, wide.form), ...this.sampler.samples(narrow)];
    return unique(
      values.filter(
        (value) => validator.accepts(limitNode, value) === false && this.sampler.accepts(narrow, value) === true,
      ),
    );
  }

  /** Returns values that the narrow node accepts and the wide one rejects. */
  between(narrow: SchemaNode, wide: SchemaNode): readonly Json[] {
    const validator = new ValueValidator(this.#wide);
    const scalars = [...numbersNear(narrow.form, wide.form), ...textsNear(narrow.form, wide.form)];
    return unique(
      [
        ...this.sampler.samples(narrow),
        ...scalars.filter((value) => this.sampler.accepts(narrow, value) === true),
      ].filter((value) => validator.accepts(wide, value) === false),
    );
  }

  #valuesFor(keyword: string, subject: string | null, narrow: SchemaNode, wide: Form): readonly Json[] {
    const { form } = narrow;
    switch (keyword) {
      case 'minItems':
      case 'maxItems':
      case 'uniqueItems':
        return this.#arrays(narrow, wide);
      case 'required':
      case 'minProperties':
        return list(this.sampler.complete(narrow, {}));
      case 'maxProperties':
        return this.#objectsOfSize(narrow, wide.maxProperties + 1);
      case 'dependentRequired': {
        const [name = ''] = (subject ?? '').split(', ');
        const value = this.sampler.sample(memberNodeOf(this.#narrow, form, name, 'wide'));
        return value === undefined ? [] : list(this.sampler.complete(narrow, { [name]: value }));
      }
      case 'enum':
        return [...(form.values ?? []), ...textsNear(form), ...numbersNear(form)];
      default:
        return [...numbersNear(form, wide), ...textsNear(form, wide)];
    }
  }

  #arrays(narrow: SchemaNode, wide: Form): readonly Json[] {
    const { form } = narrow;
    const arrays: Json[] = [];
    for (const size of [form.minItems, wide.minItems - 1, wide.maxItems + 1, 2]) {
      if (size < 0 || size > sizeMax) continue;
      const items: Json[] = [];
      while (items.length < size) {
        const item = this.sampler.nextItem(form, items);
        if (item === undefined) break;
        items.push(item);
      }
      arrays.push(items);
    }
    return arrays;
  }

  #objectsOfSize(narrow: SchemaNode, size: number): readonly Json[] {
    const { form } = narrow;
    const value = size > sizeMax ? undefined : this.sampler.complete(narrow, {});
    if (!isJsonObject(value)) return [];
    const members = new Map(Object.entries(value));
    for (const name of [...declaredNamesOf(form), ...this.sampler.freshNames(form, size)]) {
      if (members.size >= size) break;
      const member = members.has(name)
        ? undefined
        : this.sampler.sample(memberNodeOf(this.#narrow, form, name, 'wide'));
      if (member !== undefined) members.set(name, member);
    }
    return list(this.sampler.complete(narrow, Object.fromEntries(members)));
  }
}

const list = (value: Json | undefined): readonly Json[] => (value === undefined ? [] : [value]);

/** Returns the different ones of these values, plain and short ones first. */
const unique = (values: readonly Json[]): readonly Json[] =>
  [...new Map(values.map((value) => [valueKeyOf(value), value])).values()].sort((a, b) => weightOf(a) - weightOf(b));

const weightOf = (value: Json): number => {
  if (isNumber(value) || value === null || typeof value === 'boolean') return 0;
  if (typeof value === 'string') return value === '' ? 2 : value.length > 100 ? 3 : 1;
  return isJsonArray(value) || isJsonObject(value) ? 1 : 0;
};
