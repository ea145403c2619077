import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../json.ts';
import { compareNumbers, toNumber } from '../../operations/numbers.ts';
import type { ExactNumber } from '../../json.ts';
import { valueKeyOf } from './json-value.ts';
import type { Fragment } from './fragment.ts';

export type TypeName = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object';

export const typeNames: readonly TypeName[] = ['null', 'boolean', 'number', 'string', 'array', 'object'];

/** One end of a range of numbers. */
export interface Bound {
  readonly value: number | ExactNumber;
  readonly isExclusive: boolean;
}

/** The schemas of members as one fragment states them. */
export interface MembersPart {
  readonly properties: JsonObject;
  readonly patterns: readonly (readonly [pattern: string, schema: Json])[];
  /** The schema of all others; undefined if there is none. */
  readonly other: Json | undefined;
}

/** The schemas of items as one fragment states them. */
export interface ItemsPart {
  readonly first: readonly Json[];
  readonly rest: Json | undefined;
}

export interface Containment {
  readonly schema: Json;
  readonly min: number;
  readonly max: number;
}

/** Alternatives, of which a value must match at least one (`anyOf`) or exactly one (`oneOf`). */
export interface Union {
  readonly kind: 'anyOf' | 'oneOf';
  readonly members: readonly Json[];
  readonly fragment: Fragment;
}

/** A condition that is compared as a whole. */
export interface Opaque {
  readonly name: 'not' | 'if' | 'dependentSchemas' | 'unevaluatedProperties' | 'unevaluatedItems' | '$ref';
  readonly fragment: Fragment;
}

/** The set of values that a node accepts, by type: the conjunction of its fragments' keywords. */
export interface Form {
  /** Whether this is one of several alternatives: others may declare further members. */
  readonly isAlternative: boolean;
  readonly isNever: boolean;
  readonly types: ReadonlySet<TypeName>;
  readonly integersOnly: boolean;
  /** The only values that are accepted, if they are listed; null if any may be. */
  readonly values: readonly Json[] | null;
  readonly min: Bound | null;
  readonly max: Bound | null;
  readonly multiples: readonly (number | ExactNumber)[];
  readonly minLength: number;
  readonly maxLength: number;
  readonly patterns: readonly string[];
  readonly formats: readonly string[];
  readonly minItems: number;
  readonly maxItems: number;
  readonly uniqueItems: boolean;
  readonly items: readonly ItemsPart[];
  readonly contains: readonly Containment[];
  readonly minProperties: number;
  readonly maxProperties: number;
  readonly required: ReadonlySet<string>;
  readonly members: readonly MembersPart[];
  readonly names: readonly Json[];
  readonly dependencies: readonly (readonly [name: string, required: string])[];
  readonly unions: readonly Union[];
  readonly opaque: readonly Opaque[];
}

/** Returns the conjunction of fragments. */
export const createForm = (fragments: readonly Fragment[], isAlternative: boolean): Form => {
  const valuesOf = (name: string): readonly Json[] => fragments.flatMap(({ keywords }) => keywords.get(name) ?? []);
  // An array as a value must not be flattened.
  const wholesOf = (name: string): readonly Json[] =>
    fragments.filter(({ keywords }) => keywords.has(name)).map(({ keywords }) => keywords.get(name) ?? null);
  const maxOf = (name: string): number => Math.max(0, ...countsOf(wholesOf(name)));
  const minOf = (name: string): number => Math.min(Infinity, ...countsOf(wholesOf(name)));
  const types = typesOf(fragments);
  return {
    isAlternative,
    isNever: fragments.some(({ isNever }) => isNever) || types.size === 0,
    types,
    integersOnly: fragments.some(({ keywords }) => isIntegersOnly(keywords.get('type'))),
    values: listedValuesOf(fragments),
    min: tightestOf(wholesOf('minimum'), wholesOf('exclusiveMinimum'), 1),
    max: tightestOf(wholesOf('maximum'), wholesOf('exclusiveMaximum'), -1),
    multiples: wholesOf('multipleOf') as readonly number[],
    minLength: maxOf('minLength'),
    maxLength: minOf('maxLength'),
    patterns: unique(wholesOf('pattern') as readonly string[]),
    formats: unique(wholesOf('format') as readonly string[]),
    minItems: maxOf('minItems'),
    maxItems: minOf('maxItems'),
    uniqueItems: wholesOf('uniqueItems').length > 0,
    items: fragments.flatMap(itemsPartOf),
    contains: fragments.flatMap(containmentOf),
    minProperties: maxOf('minProperties'),
    maxProperties: minOf('maxProperties'),
    required: new Set(valuesOf('required') as readonly string[]),
    members: fragments.flatMap(membersPartOf),
    names: wholesOf('propertyNames'),
    dependencies: wholesOf('dependentRequired').flatMap((value) =>
      Object.entries(value as JsonObject).flatMap(([name, list]) =>
        (list as readonly string[]).map((required) => [name, required] as const),
      ),
    ),
    unions: fragments.flatMap(unionsOf),
    opaque: fragments.flatMap(opaqueOf),
  };
};

const unique = <T>(items: readonly T[]): readonly T[] => [...new Set(items)];

const countsOf = (values: readonly Json[]): readonly number[] => values.map((value) => toNumber(value as number));

const typesOf = (fragments: readonly Fragment[]): ReadonlySet<TypeName> => {
  let types = new Set(typeNames);
  for (const { keywords } of fragments) {
    const type = keywords.get('type');
    if (type === undefined) continue;
    const listedTypes = (isJsonArray(type) ? type : [type]).map((name) => (name === 'integer' ? 'number' : name));
    types = new Set([...types].filter((name) => listedTypes.includes(name)));
  }
  return types;
};

const isIntegersOnly = (type: Json | undefined): boolean =>
  type === 'integer' || (isJsonArray(type) && type.includes('integer') && !type.includes('number'));

const listedValuesOf = (fragments: readonly Fragment[]): readonly Json[] | null => {
  const lists = fragments.flatMap(({ keywords }) => [
    ...(keywords.has('enum') ? [keywords.get('enum') as readonly Json[]] : []),
    ...(keywords.has('const') ? [[keywords.get('const') ?? null]] : []),
  ]);
  const [first, ...rest] = lists.map((list) => new Map(list.map((value) => [valueKeyOf(value), value])));
  return first ? [...first].filter(([key]) => rest.every((list) => list.has(key))).map(([, value]) => value) : null;
};

/** Returns the tightest bound; `sign` is 1 for lower bounds, of which the greatest is, and -1 for upper ones. */
const tightestOf = (inclusive: readonly Json[], exclusive: readonly Json[], sign: 1 | -1): Bound | null => {
  let tightest: Bound | null = null;
  for (const [list, isExclusive] of [
    [inclusive, false],
    [exclusive, true],
  ] as const)
    for (const value of list as readonly number[]) {
      const order = tightest ? compareNumbers(value, tightest.value) * sign : 1;
      if (order > 0 || (order === 0 && isExclusive)) tightest = { value, isExclusive };
    }
  return tightest;
};

const itemsPartOf = ({ keywords }: Fragment): readonly ItemsPart[] => {
  const first = keywords.get('prefixItems');
  const rest = keywords.get('items');
  return first === undefined && rest === undefined ? [] : [{ first: isJsonArray(first) ? first : [], rest }];
};

const containmentOf = ({ keywords }: Fragment): readonly Containment[] => {
  const schema = keywords.get('contains');
  if (schema === undefined) return [];
  const [min, max] = ['minContains', 'maxContains'].map((name) => keywords.get(name) as number | undefined);
  return [{ schema, min: min === undefined ? 1 : toNumber(min), max: max === undefined ? Infinity : toNumber(max) }];
};

const membersPartOf = ({ keywords }: Fragment): readonly MembersPart[] => {
  const [properties, patterns, other] = ['properties', 'patternProperties', 'additionalProperties'].map((name) =>
    keywords.get(name),
  );
  if (properties === undefined && patterns === undefined && other === undefined) return [];
  return [
    {
      properties: isJsonObject(properties) ? properties : {},
      patterns: isJsonObject(patterns) ? Object.entries(patterns) : [],
      other,
    },
  ];
};

const unionsOf = (fragment: Fragment): readonly Union[] =>
  (['anyOf', 'oneOf'] as const).flatMap((kind) => {
    const members = fragment.keywords.get(kind);
    return isJsonArray(members) ? [{ kind, members, fragment }] : [];
  });

const opaqueOf = (fragment: Fragment): readonly Opaque[] => {
  const { keywords, isOpaque } = fragment;
  const isConditional = keywords.has('if') && (keywords.has('then') || keywords.has('else'));
  const names = (['not', 'dependentSchemas', 'unevaluatedProperties', 'unevaluatedItems'] as const).filter((name) =>
    keywords.has(name),
  );
  return [
    ...names.map((name) => ({ name, fragment })),
    ...(isConditional ? [{ name: 'if' as const, fragment }] : []),
    ...(isOpaque ? [{ name: '$ref' as const, fragment }] : []),
  ];
};
