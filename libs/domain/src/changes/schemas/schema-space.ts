import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../json.ts';
import { resolveReference, sourceOf, type Source } from '../../operations/references.ts';
import { isConstraint, translateSchema } from '../../operations/schema-keywords.ts';
import type { Fragment } from './fragment.ts';
import type { WorkBudget } from './work-budget.ts';
import { createForm, type Form, type Union } from './form.ts';

/** The schemas that apply to one value: it must be accepted by each of them. */
export interface SchemaNode {
  /** Identifies the node in its space. Nodes of the same fragments have the same. */
  readonly key: string;
  readonly fragments: readonly Fragment[];
  readonly form: Form;
}

/** The schemas of one document, read once each. */
export class SchemaSpace {
  readonly source: Source;
  readonly #fragments = new WeakMap<object, Fragment>();
  readonly #fragmentsByTarget = new WeakMap<object, Fragment>();
  readonly #nodes = new Map<string, SchemaNode>();
  readonly #nodesByValue = new WeakMap<object, SchemaNode>();
  readonly #rests = new Map<string, Fragment>();
  readonly #never: Fragment;
  readonly #always: Fragment;
  #count = 0;

  readonly budget: WorkBudget;

  constructor(document: Json, budget: WorkBudget) {
    this.budget = budget;
    this.source = sourceOf(document);
    this.#never = this.#createFragment({}, { isNever: true });
    this.#always = this.#createFragment({});
  }

  /** Returns the node of the schemas that all apply to a value; with no schemas, it accepts everything. */
  nodeOf(...values: readonly (Json | undefined)[]): SchemaNode {
    const [only] = values;
    if (values.length !== 1 || !isJsonObject(only))
      return this.#createNode(values.flatMap((value) => this.#flatten(value)));
    let node = this.#nodesByValue.get(only);
    if (!node) this.#nodesByValue.set(only, (node = this.#createNode(this.#flatten(only))));
    return node;
  }

  /** Returns a node with one of a union's members instead of the union. */
  chooseMember({ fragments }: SchemaNode, { fragment, kind }: Union, member: Json | undefined): SchemaNode {
    this.budget.spend(fragments.length);
    const rest = fragments.flatMap((item) => (item === fragment ? this.#withoutUnion(fragment, kind) : item));
    return this.#createNode([...rest, ...this.#flatten(member)], true);
  }

  /** Returns a node with additional limits. */
  restrict({ fragments, form }: SchemaNode, schema: JsonObject): SchemaNode {
    return this.#createNode([...fragments, ...this.#flatten(schema)], form.isAlternative);
  }

  /** Reads a schema, and follows its reference. Any value that is neither an object nor `false` accepts everything. */
  read(value: Json | undefined): Fragment {
    if (!isJsonObject(value)) return value === false ? this.#never : this.#always;
    let fragment = this.#fragments.get(value);
    if (!fragment) this.#fragments.set(value, (fragment = this.#resolve(value)));
    return fragment;
  }

  #resolve(value: JsonObject): Fragment {
    const { schema, missing } = resolveReference(this.source, value, null);
    if (!isJsonObject(schema)) return schema ? this.#always : this.#never;
    let fragment = this.#fragmentsByTarget.get(schema);
    if (!fragment) {
      const isDynamic = ['$dynamicRef', '$recursiveRef'].some((name) => Object.hasOwn(schema, name));
      fragment = this.#createFragment(schema, { isOpaque: missing !== null || isDynamic });
      this.#fragmentsByTarget.set(schema, fragment);
    }
    return fragment;
  }

  #createFragment(
    schema: JsonObject,
    flags: { readonly isNever?: boolean; readonly isOpaque?: boolean } = {},
  ): Fragment {
    const keywords = translateSchema(schema, this.source.dialect);
    if (!flags.isOpaque) keywords.delete('$ref');
    else if (!keywords.has('$ref')) keywords.set('$ref', schema['$dynamicRef'] ?? schema['$recursiveRef'] ?? null);
    for (const kind of ['anyOf', 'oneOf']) {
      const members = keywords.get(kind);
      if (this.source.dialect === '3.0' && isJsonArray(members)) keywords.set(kind, members.map(toNullAlternative));
    }
    const allOf = keywords.get('allOf');
    keywords.delete('allOf');
    return {
      id: this.#count++,
      keywords,
      allOf: isJsonArray(allOf) ? allOf : [],
      isNever: flags.isNever ?? false,
      isOpaque: flags.isOpaque ?? false,
    };
  }

  #withoutUnion(fragment: Fragment, kind: Union['kind']): Fragment {
    const name = `${fragment.id} ${kind}`;
    let rest = this.#rests.get(name);
    if (!rest) {
      const keywords = new Map(fragment.keywords);
      keywords.delete(kind);
      this.#rests.set(name, (rest = { ...fragment, id: this.#count++, keywords, allOf: [] }));
    }
    return rest;
  }

  /** Returns the fragments of a schema: its own, and those of its `allOf`. */
  #flatten(value: Json | undefined): readonly Fragment[] {
    const fragments = new Set<Fragment>();
    const pending: (Json | undefined)[] = [value];
    while (pending.length > 0) {
      const fragment = this.read(pending.pop());
      if (fragments.has(fragment)) continue;
      fragments.add(fragment);
      pending.push(...fragment.allOf.toReversed());
    }
    return [...fragments];
  }

  #createNode(fragments: readonly Fragment[], isAlternative = false): SchemaNode {
    this.budget.spend(5 + fragments.length);
    const list = [...new Map(fragments.map((fragment) => [fragment.id, fragment])).values()].filter(hasContent);
    const ids = list.map(({ id }) => id).sort((a, b) => a - b);
    const key = `${ids.join()}${isAlternative ? ' alternative' : ''}`;
    const existingNode = this.#nodes.get(key);
    if (existingNode) return existingNode;
    const node = createLazyNode(key, list, isAlternative);
    this.#nodes.set(key, node);
    return node;
  }
}

/**
 * Returns `{"nullable": true}` as null: as an alternative to others it stands for null, although it accepts any value.
 */
const toNullAlternative = (member: Json): Json =>
  isJsonObject(member) &&
  member['nullable'] === true &&
  Object.keys(member).every((name) => name === 'nullable' || !isConstraint(name))
    ? nullSchema
    : member;

const nullSchema: JsonObject = { type: 'null' };

const hasContent = ({ keywords, isNever, isOpaque }: Fragment): boolean => keywords.size > 0 || isNever || isOpaque;

const createLazyNode = (key: string, fragments: readonly Fragment[], isAlternative: boolean): SchemaNode => {
  let form: Form | null = null;
  return {
    key,
    fragments,
    get form() {
      return (form ??= createForm(fragments, isAlternative));
    },
  };
};
