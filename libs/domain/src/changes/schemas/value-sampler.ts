import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../json.ts';
import { isNumber } from '../../operations/numbers.ts';
import type { Form, TypeName } from './form.ts';
import { formatSamples } from './formats.ts';
import { valueKeyOf } from './json-value.ts';
import { declaredNamesOf, firstBranchesOf, itemNodeOf, memberNodeOf, otherNodeOf, patternNodesOf } from './members.ts';
import { samplesOfPattern } from './pattern-samples.ts';
import { numbersNear, textsNear } from './scalar-samples.ts';
import type { SchemaNode, SchemaSpace } from './schema-space.ts';
import { typeOf, ValueValidator } from './validate-value.ts';

const [depthMax, branchesMax, paddingMax] = [6, 24, 2_000];

/** Creates small values that a node accepts. */
export class ValueSampler {
  readonly #space: SchemaSpace;
  readonly #samples = new Map<string, Json | undefined>();
  readonly #pending = new Set<string>();
  /** How many lists of samples are being created, each for another. */
  #depth = 0;

  constructor(space: SchemaSpace) {
    this.#space = space;
  }

  /** Returns a value that a node accepts, with as few members and items as possible; undefined if none was found. */
  sample(node: SchemaNode): Json | undefined {
    if (this.#samples.has(node.key)) return this.#samples.get(node.key);
    if (this.#pending.has(node.key) || this.#pending.size > 2 * depthMax) return undefined;
    this.#pending.add(node.key);
    const value = this.complete(node);
    this.#pending.delete(node.key);
    // Within others, a value may be missing only because they contain each other.
    if (value !== undefined || this.#pending.size === 0) this.#samples.set(node.key, value);
    return value;
  }

  /** Returns different values that a node accepts, of each type and alternative: at most `max`. */
  samples(node: SchemaNode, max = 24): readonly Json[] {
    const values = new Map<string, Json>();
    if (this.#depth > depthMax || !this.#space.budget.spend(20)) return [];
    this.#depth++;
    const add = (value: Json | undefined): void => {
      if (value === undefined || values.size >= max) return;
      const key = valueKeyOf(value);
      if (!values.has(key) && this.accepts(node, value) === true) values.set(key, value);
    };
    for (const branch of firstBranchesOf(this.#space, node, branchesMax)) {
      for (const value of branch.form.values ?? []) add(value);
      for (const type of branch.form.types) add(this.#completeType(branch, type));
    }
    for (const value of plainValues) add(value);
    this.#depth--;
    return [...values.values()];
  }

  /**
   * Returns a value that a node accepts and that contains the members or items of another; undefined if none was
   * found.
   */
  complete(node: SchemaNode, part?: Json): Json | undefined {
    if (!this.#space.budget.spend(20)) return undefined;
    for (const branch of firstBranchesOf(this.#space, node, branchesMax)) {
      const { values, types } = branch.form;
      if (part === undefined) {
        for (const value of [...examplesOf(branch), ...(values ?? [])])
          if (this.accepts(node, value) === true) return value;
        if (values) continue;
      }
      const candidateTypes = part === undefined ? preferredTypesOf(branch.form) : [typeOf(part) as TypeName];
      for (const type of candidateTypes) {
        const value = types.has(type) ? this.#completeType(branch, type, part) : undefined;
        if (value !== undefined && this.accepts(node, value) === true) return value;
      }
    }
    return undefined;
  }

  accepts(node: SchemaNode, value: Json): boolean | null {
    return new ValueValidator(this.#space).accepts(node, value);
  }

  #completeType(node: SchemaNode, type: TypeName, part?: Json): Json | undefined {
    const { form } = node;
    const isAccepted = (value: Json): boolean => this.accepts(node, value) === true;
    switch (type) {
      case 'null':
        return null;
      case 'boolean':
        return part ?? true;
      case 'number':
        return part ?? numbersNear(form).find(isAccepted);
      case 'string':
        return part ?? textsNear(form).find(isAccepted);
      case 'array':
        return this.#completeArray(form, isJsonArray(part) ? part : []);
      case 'object':
        return this.#completeObject(form, isJsonObject(part) ? part : {});
    }
  }

  #completeArray(form: Form, part: readonly Json[]): Json | undefined {
    const items = [...part];
    const length = Math.max(form.minItems, ...form.contains.map(({ min }) => min));
    if (length > paddingMax) return undefined;
    for (const { schema, min } of form.contains)
      for (let count = 0; count < min; count++) {
        const item = this.sample(this.#space.nodeOf(schema));
        if (item !== undefined) items.push(item);
      }
    while (items.length < length) {
      const item = this.nextItem(form, items);
      if (item === undefined) return undefined;
      items.push(item);
    }
    return items;
  }

  /** Returns an item to append to an array; different from the others if items must be unique. */
  nextItem(form: Form, items: readonly Json[]): Json | undefined {
    const node = itemNodeOf(this.#space, form, items.length);
    if (!form.uniqueItems) return this.sample(node);
    const keys = new Set(items.map(valueKeyOf));
    return this.samples(node, items.length + 24).find((value) => !keys.has(valueKeyOf(value)));
  }

  #completeObject(form: Form, part: JsonObject): Json | undefined {
    const members = new Map(Object.entries(part));
    const add = (name: string): boolean => {
      if (members.has(name)) return true;
      const value = this.sample(memberNodeOf(this.#space, form, name, 'wide'));
      if (value !== undefined) members.set(name, value);
      return value !== undefined;
    };
    for (const name of form.required) if (!add(name)) return undefined;
    for (let round = 0; round < 5; round++)
      for (const [name, required] of form.dependencies) if (members.has(name) && !add(required)) return undefined;
    if (form.minProperties > paddingMax) return undefined;
    for (const name of declaredNamesOf(form)) if (members.size < form.minProperties) add(name);
    for (const name of this.freshNames(form, form.minProperties)) if (members.size < form.minProperties) add(name);
    return Object.fromEntries(members);
  }

  /** Returns names that are not declared: those that match patterns first, if other names are not possible. */
  freshNames(form: Form, count = 1): readonly string[] {
    const patternNames = [...patternNodesOf(this.#space, form).keys()].flatMap(samplesOfPattern);
    const canBeOther = !otherNodeOf(this.#space, form).form.isNever;
    const otherNames = canBeOther
      ? Array.from({ length: Math.min(count, paddingMax) + 1 }, (_, index) => `extra${index + 1}`)
      : [];
    const formats =
      form.names.length > 0
        ? this.samples(this.#space.nodeOf(...form.names)).filter((value) => typeof value === 'string')
        : [];
    return [...(form.names.length > 0 ? formats : otherNames), ...patternNames];
  }
}

/** Plain values of all types. */
const plainValues: readonly Json[] = [
  null,
  true,
  false,
  0,
  1,
  -1,
  0.5,
  1_000_000_007,
  'a',
  '',
  'A',
  '0',
  'x y',
  '~',
  'not a match',
  [],
  [null],
  {},
  ...formatSamples,
];

/** Returns short examples of a node's own; no objects, because they would have more members than needed. */
const examplesOf = ({ fragments }: SchemaNode): readonly Json[] =>
  fragments
    .flatMap(({ keywords }) => [
      ...((keywords.get('examples') ?? []) as readonly Json[]),
      ...(keywords.has('default') ? [keywords.get('default') ?? null] : []),
    ])
    .filter((value) => isNumber(value) || (typeof value === 'string' && value.length <= 100));

const preferredTypesOf = (form: Form): readonly TypeName[] => {
  const isObject = form.members.length > 0 || form.required.size > 0;
  const isArray = form.items.length > 0;
  const order: readonly TypeName[] = ['string', 'number', 'boolean', 'object', 'array', 'null'];
  const first: TypeName = isObject ? 'object' : isArray ? 'array' : 'string';
  return [first, ...order.filter((type) => type !== first)].filter((type) => form.types.has(type));
};
