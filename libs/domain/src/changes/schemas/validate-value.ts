import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../json.ts';
import { compareNumbers, isInteger, isNumber, toNumber } from '../../operations/numbers.ts';
import { matchesPattern } from '../../operations/patterns.ts';
import { hasFormat } from './formats.ts';
import { lengthOf, valueKeyOf } from './json-value.ts';
import type { Fragment } from './fragment.ts';
import type { SchemaNode, SchemaSpace } from './schema-space.ts';

interface Depth {
  readonly total: number;
  readonly sameValue: number;
}

/** Whether a schema accepts a value; null if that is unknown. */
export type Verdict = boolean | null;

/**
 * How deep schemas may be within each other; `sameValueMax` for the same value, which a schema that contains itself
 * never leaves.
 */
const [depthMax, sameValueMax] = [60, 14];

/**
 * Validates values with the schemas of a document, as JSON Schema 2020-12 does with formats checked. Returns null
 * where it cannot decide, because of references out of the document and patterns that could take long.
 */
export class ValueValidator {
  readonly #space: SchemaSpace;

  constructor(space: SchemaSpace) {
    this.#space = space;
  }

  accepts(node: SchemaNode, value: Json): Verdict {
    return this.#acceptsNode(node, value, { total: 0, sameValue: 0 });
  }

  #acceptsNode({ fragments }: SchemaNode, value: Json, depth: Depth): Verdict {
    if (!this.#space.budget.spend(fragments.length + 1)) return null;
    return all(fragments, (fragment) => this.#acceptsFragment(fragment, value, depth));
  }

  #accepts(schema: Json | undefined, value: Json, depth: Depth): Verdict {
    if (depth.total > depthMax || depth.sameValue > sameValueMax) return null;
    return this.#acceptsNode(this.#space.nodeOf(schema), value, depth);
  }

  #acceptsFragment(fragment: Fragment, value: Json, depth: Depth): Verdict {
    const { keywords, isNever, isOpaque } = fragment;
    if (isNever) return false;
    const verdict = all(keywords, ([name, keyword]) => {
      const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
      return check ? check(keyword, value) : this.#acceptsSchemas(name, keyword, value, fragment, depth);
    });
    return isOpaque && verdict === true ? null : verdict;
  }

  #acceptsSchemas(name: string, keyword: Json, value: Json, fragment: Fragment, depth: Depth): Verdict {
    const innerDepth = { total: depth.total + 1, sameValue: 0 };
    const accepts = (schema: Json | undefined, part?: Json): Verdict =>
      part === undefined
        ? this.#accepts(schema, value, { total: depth.total + 1, sameValue: depth.sameValue + 1 })
        : this.#accepts(schema, part, innerDepth);
    const members = isJsonObject(value) ? Object.entries(value) : [];
    const { keywords } = fragment;
    switch (name) {
      case 'properties':
        return all(members, ([key, member]) =>
          Object.hasOwn(keyword as JsonObject, key) ? accepts((keyword as JsonObject)[key], member) : true,
        );
      case 'patternProperties':
      case 'additionalProperties':
        // Either one covers both.
        if (name === 'additionalProperties' && keywords.has('patternProperties')) return true;
        return this.#acceptsOthers(keywords, members, innerDepth);
      case 'propertyNames':
        return all(members, ([key]) => accepts(keyword, key));
      case 'dependentSchemas':
        return all(Object.entries(keyword as JsonObject), ([key, schema]) =>
          isJsonObject(value) && Object.hasOwn(value, key) ? accepts(schema) : true,
        );
      case 'prefixItems':
        return all(isJsonArray(value) ? value.slice(0, (keyword as readonly Json[]).length) : [], (item, index) =>
          accepts((keyword as readonly Json[])[index], item),
        );
      case 'items': {
        const start = (keywords.get('prefixItems') as readonly Json[] | undefined)?.length ?? 0;
        return all(isJsonArray(value) ? value.slice(start) : [], (item) => accepts(keyword, item));
      }
      case 'contains':
        return isJsonArray(value) ? this.#containsEnough(keywords, value, innerDepth) : true;
      case 'anyOf':
        return not(all(keyword as readonly Json[], (schema) => not(accepts(schema))));
      case 'oneOf':
        return isExactlyOne((keyword as readonly Json[]).map((schema) => accepts(schema)));
      case 'not':
        return not(accepts(keyword));
      case 'if': {
        const condition = accepts(keyword);
        const [then, otherwise] = [accepts(keywords.get('then')), accepts(keywords.get('else'))];
        if (condition === null) return then === otherwise ? then : null;
        return condition ? then : otherwise;
      }
      case 'unevaluatedProperties':
        return members.length === 0 ? true : null;
      case 'unevaluatedItems':
        return isJsonArray(value) && value.length > 0 ? null : true;
      default:
        return true;
    }
  }

  #acceptsOthers(
    keywords: ReadonlyMap<string, Json>,
    members: readonly (readonly [string, Json])[],
    depth: Depth,
  ): Verdict {
    const properties = (keywords.get('properties') ?? {}) as JsonObject;
    const patterns = Object.entries((keywords.get('patternProperties') ?? {}) as JsonObject);
    return all(members, ([key, member]) => {
      let isOther: Verdict = !Object.hasOwn(properties, key);
      const verdict = all(patterns, ([pattern, schema]) => {
        const matches = matchesPattern(pattern, key);
        if (matches !== false && isOther) isOther = matches === null ? null : false;
        return matches === false ? true : and(this.#accepts(schema, member, depth), matches);
      });
      if (isOther === false) return verdict;
      return and(verdict, and(this.#accepts(keywords.get('additionalProperties'), member, depth), isOther));
    });
  }

  #containsEnough(keywords: ReadonlyMap<string, Json>, items: readonly Json[], depth: Depth): Verdict {
    const verdicts = items.map((item) => this.#accepts(keywords.get('contains'), item, depth));
    const certain = verdicts.filter((verdict) => verdict === true).length;
    const possible = verdicts.filter((verdict) => verdict !== false).length;
    const min = toNumber((keywords.get('minContains') ?? 1) as number);
    const max = toNumber((keywords.get('maxContains') ?? Infinity) as number);
    // Validators disagree about arrays without items.
    if (items.length === 0 && min > 0) return null;
    if (possible < min || certain > max) return false;
    return certain >= min && possible <= max ? true : null;
  }
}

const not = (verdict: Verdict): Verdict => (verdict === null ? null : !verdict);

/** Returns a conjunction: false if one of them is, whether or not the other is known. */
const and = (first: Verdict, second: Verdict): Verdict =>
  first === false ? false : second === true ? first : second === null ? null : first === null ? null : second;

const all = <T>(items: Iterable<T>, check: (item: T, index: number) => Verdict): Verdict => {
  let verdict: Verdict = true;
  let index = 0;
  for (const item of items) {
    const itemVerdict = check(item, index++);
    if (itemVerdict === false) return false;
    if (itemVerdict === null) verdict = null;
  }
  return verdict;
};

const isExactlyOne = (verdicts: readonly Verdict[]): Verdict => {
  const certain = verdicts.filter((verdict) => verdict === true).length;
  if (certain > 1) return false;
  if (verdicts.includes(null)) return null;
  return certain === 1;
};

/** Checks a keyword without schemas. */
const checks: Readonly<Record<string, (keyword: Json, value: Json) => Verdict>> = {
  type: (keyword, value) => (isJsonArray(keyword) ? keyword : [keyword]).some((type) => hasType(value, type as string)),
  enum: (keyword, value) => (keyword as readonly Json[]).some((item) => valueKeyOf(item) === valueKeyOf(value)),
  const: (keyword, value) => valueKeyOf(keyword) === valueKeyOf(value),
  minimum: (keyword, value) => !isNumber(value) || compareNumbers(value, keyword as number) >= 0,
  maximum: (keyword, value) => !isNumber(value) || compareNumbers(value, keyword as number) <= 0,
  exclusiveMinimum: (keyword, value) => !isNumber(value) || compareNumbers(value, keyword as number) > 0,
  exclusiveMaximum: (keyword, value) => !isNumber(value) || compareNumbers(value, keyword as number) < 0,
  multipleOf: (keyword, value) => !isNumber(value) || isMultiple(toNumber(value), toNumber(keyword as number)),
  minLength: (keyword, value) => typeof value !== 'string' || lengthOf(value) >= toNumber(keyword as number),
  maxLength: (keyword, value) => typeof value !== 'string' || lengthOf(value) <= toNumber(keyword as number),
  pattern: (keyword, value) => (typeof value === 'string' ? matchesPattern(keyword as string, value) : true),
  format: (keyword, value) => hasFormat(keyword as string, value),
  minItems: (keyword, value) => !isJsonArray(value) || value.length >= toNumber(keyword as number),
  maxItems: (keyword, value) => !isJsonArray(value) || value.length <= toNumber(keyword as number),
  uniqueItems: (_keyword, value) => !isJsonArray(value) || new Set(value.map(valueKeyOf)).size === value.length,
  minProperties: (keyword, value) => !isJsonObject(value) || Object.keys(value).length >= toNumber(keyword as number),
  maxProperties: (keyword, value) => !isJsonObject(value) || Object.keys(value).length <= toNumber(keyword as number),
  required: (keyword, value) =>
    !isJsonObject(value) || (keyword as readonly string[]).every((name) => Object.hasOwn(value, name)),
  dependentRequired: (keyword, value) =>
    !isJsonObject(value) ||
    Object.entries(keyword as JsonObject).every(
      ([name, list]) =>
        !Object.hasOwn(value, name) || (list as readonly string[]).every((required) => Object.hasOwn(value, required)),
    ),
};

export const typeOf = (value: Json): string =>
  value === null ? 'null' : isJsonArray(value) ? 'array' : isNumber(value) ? 'number' : typeof value;

const hasType = (value: Json, type: string): boolean =>
  type === 'integer' ? isNumber(value) && isInteger(value) : typeOf(value) === type;

/** Validators divide binary fractions; where that and decimals could disagree, the verdict is unknown. */
export const isMultiple = (value: number, divisor: number): Verdict => {
  // A larger number may have lost digits.
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return null;
  const quotient = value / divisor;
  if (Number.isInteger(quotient)) return true;
  return Math.abs(quotient - Math.round(quotient)) < 1e-6 ? null : false;
};
