import type { Json } from '../../json.ts';
import { isJsonObject } from '../../json.ts';
import type { Form, Opaque, TypeName, Union } from './form.ts';
import { listLooseLimits, type LooseLimit } from './loose-limits.ts';
import {
  acceptsAll,
  branchesOf,
  declaredNamesOf,
  firstItemsOf,
  isDeclared,
  itemNodeOf,
  memberNodeOf,
  otherNodeOf,
  patternNodesOf,
  restNodeOf,
} from './members.ts';
import { countPossibleNames, finiteValuesOf, haveDifferentValues, isNever } from './set-sizes.ts';
import type { SchemaEquality } from './schema-equality.ts';
import type { SchemaNode, SchemaSpace } from './schema-space.ts';
import { ValueValidator } from './validate-value.ts';

/** The exceptions of a containment, each a decision about the behaviour of callers and servers. */
export interface Exceptions {
  /**
   * The flag of members that are not part of these values: `readOnly` in requests, `writeOnly` in responses; null to
   * compare all members.
   */
  readonly hiddenFlag: 'readOnly' | 'writeOnly' | null;
  /** Whether callers send no members that the narrow set does not declare, if it does not limit them. */
  readonly sendsDeclaredOnly: boolean;
  /** Whether a member with a default may be absent even if it is required. */
  readonly fillsDefaults: boolean;
}

export const noExceptions: Exceptions = { hiddenFlag: null, sendsDeclaredOnly: false, fillsDefaults: false };

/** How many pairs may be compared within each other. */
const pendingMax = 150;

/** Two documents: the values of the narrow one's schemas should be accepted by the wide one's. */
export interface Spaces {
  readonly narrow: SchemaSpace;
  readonly wide: SchemaSpace;
  readonly equality: SchemaEquality;
}

/**
 * Proves that one schema accepts all values that another one does. Never says so without a proof; where there is none,
 * the schemas may still be contained. Schemas that contain themselves are contained unless a difference is found
 * (coinduction).
 */
export class Containment {
  readonly spaces: Spaces;
  readonly exceptions: Exceptions;
  readonly #results = new Map<string, boolean>();
  /** Pairs that are contained if a pending pair is: by the index of the first pending pair that they rely on. */
  readonly #provisional = new Map<string, number>();
  readonly #provisionalPairs: string[] = [];
  readonly #pending = new Map<string, { readonly index: number; readonly depth: number }>();
  /** How many members and items the current pair is within. */
  #depth = 0;
  #reliesOn = Infinity;

  constructor(spaces: Spaces, exceptions: Exceptions) {
    this.spaces = spaces;
    this.exceptions = exceptions;
  }

  isContained(narrow: SchemaNode, wide: SchemaNode): boolean {
    if (acceptsAll(wide) || isNever(narrow.form)) return true;
    const pair = `${narrow.key} ${wide.key}`;
    const result = this.#results.get(pair);
    if (result !== undefined) {
      this.#reliesOn = Math.min(this.#reliesOn, this.#provisional.get(pair) ?? Infinity);
      return result;
    }
    const pendingPair = this.#pending.get(pair);
    if (pendingPair) {
      // A schema that contains itself without a member or an item in between proves nothing.
      if (pendingPair.depth === this.#depth) return false;
      this.#reliesOn = Math.min(this.#reliesOn, pendingPair.index);
      return true;
    }
    if (!this.spaces.narrow.budget.spend(5) || this.#pending.size > pendingMax) return false;
    return this.#prove(pair, narrow, wide);
  }

  #prove(pair: string, narrow: SchemaNode, wide: SchemaNode): boolean {
    const index = this.#pending.size;
    const outerReliance = this.#reliesOn;
    const firstProvisional = this.#provisionalPairs.length;
    this.#reliesOn = Infinity;
    this.#pending.set(pair, { index, depth: this.#depth });
    const result = this.#isContainedNode(narrow, wide);
    this.#pending.delete(pair);
    this.#results.set(pair, result);
    if (result && this.#reliesOn < index) {
      this.#provisional.set(pair, this.#reliesOn);
      this.#provisionalPairs.push(pair);
      this.#reliesOn = Math.min(outerReliance, this.#reliesOn);
      return true;
    }
    for (const provisionalPair of this.#provisionalPairs.splice(firstProvisional)) {
      this.#provisional.delete(provisionalPair);
      // Pairs that relied on this one are proven again when they are needed.
      if (!result) this.#results.delete(provisionalPair);
    }
    this.#reliesOn = outerReliance;
    return result;
  }

  #isContainedNode(narrow: SchemaNode, wide: SchemaNode): boolean {
    if (isNever(wide.form)) return false;
    const values = finiteValuesOf(narrow.form);
    if (values) return this.#acceptsEach(values, narrow, wide);
    for (const union of wide.form.unions) {
      const partner = narrow.form.unions.find((candidate) => this.#isContainedUnion(candidate, union));
      if (partner) return this.isContained(narrow, this.#withoutUnion(wide, union));
    }
    if (narrow.form.unions.length > 0) {
      // The rest alone may suffice.
      if (this.#isContainedBranch(this.#withoutUnions(narrow), wide)) return true;
      const branches = branchesOf(this.spaces.narrow, narrow, 64);
      return branches?.every((branch) => this.isContained(branch, wide)) ?? false;
    }
    return this.#isContainedBranch(narrow, wide);
  }

  #acceptsEach(values: readonly Json[], narrow: SchemaNode, wide: SchemaNode): boolean {
    const [narrowValidator, wideValidator] = [this.spaces.narrow, this.spaces.wide].map(
      (space) => new ValueValidator(space),
    );
    return values.every(
      (value) => narrowValidator?.accepts(narrow, value) === false || wideValidator?.accepts(wide, value) === true,
    );
  }

  #withoutUnion(node: SchemaNode, union: Union): SchemaNode {
    return this.spaces.wide.chooseMember(node, union, true);
  }

  #withoutUnions(node: SchemaNode): SchemaNode {
    const [union] = node.form.unions;
    return union && !this.spaces.narrow.budget.isExhausted
      ? this.#withoutUnions(this.spaces.narrow.chooseMember(node, union, true))
      : node;
  }

  /** Whether each member of a union is contained in one of the other, and in no further one if only one may match. */
  #isContainedUnion(narrow: Union, wide: Union): boolean {
    const { narrow: narrowSpace, wide: wideSpace, equality } = this.spaces;
    if (wide.kind === 'anyOf')
      return narrow.members.every((member, index) =>
        [wide.members[index], ...wide.members].some(
          (other) => other !== undefined && this.isContained(narrowSpace.nodeOf(member), wideSpace.nodeOf(other)),
        ),
      );
    // A value matches exactly one member of the narrow union. It still does if only its own member has changed.
    if (narrow.kind !== 'oneOf' || narrow.members.length !== wide.members.length) return false;
    return narrow.members.every((member, index) => equality.isSame(...this.#inOrder(member, wide.members[index])));
  }

  /** Returns schemas in the order of `SchemaEquality`. */
  #inOrder(narrow: Json | undefined, wide: Json | undefined): [Json | undefined, Json | undefined] {
    return this.spaces.equality.before === this.spaces.narrow ? [narrow, wide] : [wide, narrow];
  }

  #isContainedBranch(narrow: SchemaNode, wide: SchemaNode): boolean {
    const values = finiteValuesOf(narrow.form);
    if (values) return this.#acceptsEach(values, narrow, wide);
    if (isNever(narrow.form)) return true;
    return (
      wide.form.opaque.every((condition) => this.#hasSameCondition(narrow, condition)) &&
      this.#isWithinLimits(narrow.form, wide.form) &&
      (!narrow.form.types.has('array') || this.#areItemsContained(narrow.form, wide.form)) &&
      (!narrow.form.types.has('object') || this.#areMembersContained(narrow.form, wide.form)) &&
      wide.form.unions.every((union) => this.#isContainedInUnion(narrow, union))
    );
  }

  /** Whether the narrow set states the same condition; one about unevaluated members depends on all of its fragment. */
  #hasSameCondition(narrow: SchemaNode, { name, fragment }: Opaque): boolean {
    return narrow.form.opaque.some((condition) => {
      if (condition.name !== name) return false;
      // The same reference out of the document is taken to lead to the same schema.
      if (name === '$ref') return condition.fragment.keywords.get('$ref') === fragment.keywords.get('$ref');
      const names = name === 'if' ? ['if', 'then', 'else'] : [name];
      if (name.startsWith('unevaluated')) {
        const pair =
          this.spaces.equality.before === this.spaces.narrow
            ? ([condition.fragment, fragment] as const)
            : ([fragment, condition.fragment] as const);
        return this.spaces.equality.isSameFragment(...pair);
      }
      return names.every((keyword) => {
        const [first, second] = [condition.fragment.keywords.get(keyword), fragment.keywords.get(keyword)];
        if (first === undefined || second === undefined) return first === second;
        if (name !== 'dependentSchemas') return this.spaces.equality.isSame(...this.#inOrder(first, second));
        return (
          isJsonObject(first) &&
          isJsonObject(second) &&
          Object.keys(second).every(
            (key) =>
              Object.hasOwn(first, key) && this.spaces.equality.isSame(...this.#inOrder(first[key], second[key])),
          )
        );
      });
    });
  }

  #isWithinLimits(narrow: Form, wide: Form): boolean {
    return this.listLimits(narrow, wide).every(({ keyword, subject }) => {
      if (keyword === 'maxProperties') return countPossibleNames(this.spaces.narrow, narrow) <= wide.maxProperties;
      if (keyword === 'dependentRequired') {
        const [name = ''] = (subject ?? '').split(', ');
        return isNever(memberNodeOf(this.spaces.narrow, narrow, name, 'narrow').form);
      }
      return keyword === 'required' && this.isOptionalAnyway(wide, subject ?? '');
    });
  }

  /** Returns the limits that the narrow set may exceed: it lacks a member that it hides, even if it requires it. */
  listLimits(narrow: Form, wide: Form): readonly LooseLimit[] {
    const limits = listLooseLimits(narrow, wide);
    if (!this.exceptions.hiddenFlag) return limits;
    const hiddenNames = [...wide.required].filter(
      (name) => narrow.required.has(name) && this.isHidden(narrow, wide, name) && !this.isHiddenIn(wide, name),
    );
    return [
      ...limits,
      ...hiddenNames.map((name) => ({ keyword: 'required', subject: name, limit: { required: [name] } })),
    ];
  }

  /** Whether the absence of a required member is excepted. */
  isOptionalAnyway(wide: Form, name: string): boolean {
    const { fillsDefaults } = this.exceptions;
    if (this.isHiddenIn(wide, name)) return true;
    return fillsDefaults && hasKeyword(memberNodeOf(this.spaces.wide, wide, name, 'wide'), 'default');
  }

  /** Whether the wide set takes a member not to be part of these values. */
  isHiddenIn(wide: Form, name: string): boolean {
    const { hiddenFlag } = this.exceptions;
    return hiddenFlag !== null && hasKeyword(memberNodeOf(this.spaces.wide, wide, name, 'wide'), hiddenFlag);
  }

  /** Whether a member is not part of these values. */
  isHidden(narrow: Form, wide: Form, name: string): boolean {
    const { hiddenFlag } = this.exceptions;
    if (!hiddenFlag) return false;
    return (
      this.isHiddenIn(wide, name) || hasKeyword(memberNodeOf(this.spaces.narrow, narrow, name, 'narrow'), hiddenFlag)
    );
  }

  #isPartContained(narrow: SchemaNode, wide: SchemaNode): boolean {
    this.#depth++;
    const result = this.isContained(narrow, wide);
    this.#depth--;
    return result;
  }

  #areItemsContained(narrow: Form, wide: Form): boolean {
    const { narrow: narrowSpace, wide: wideSpace } = this.spaces;
    const count = Math.max(firstItemsOf(narrow), firstItemsOf(wide));
    for (let index = 0; index < Math.min(count, narrow.maxItems); index++)
      if (!this.#isPartContained(itemNodeOf(narrowSpace, narrow, index), itemNodeOf(wideSpace, wide, index)))
        return false;
    const hasRest = narrow.maxItems > count;
    if (hasRest && !this.#isPartContained(restNodeOf(narrowSpace, narrow), restNodeOf(wideSpace, wide))) return false;
    return wide.contains.every(({ schema, min, max }) =>
      narrow.contains.some(
        (other) =>
          other.min >= min && other.max <= max && this.spaces.equality.isSame(...this.#inOrder(other.schema, schema)),
      ),
    );
  }

  #areMembersContained(narrow: Form, wide: Form): boolean {
    const { narrow: narrowSpace, wide: wideSpace } = this.spaces;
    for (const name of new Set([...declaredNamesOf(narrow), ...declaredNamesOf(wide)])) {
      if (this.isHidden(narrow, wide, name)) continue;
      const narrowNode = memberNodeOf(narrowSpace, narrow, name, 'narrow');
      if (this.isUndeclared(narrow, name) && acceptsAll(narrowNode)) continue;
      if (!this.#isPartContained(narrowNode, memberNodeOf(wideSpace, wide, name, 'wide'))) return false;
    }
    return this.#areOthersContained(narrow, wide) && this.#areNamesContained(narrow, wide);
  }

  /** Whether callers are taken not to send a member. */
  isUndeclared(narrow: Form, name: string): boolean {
    return this.exceptions.sendsDeclaredOnly && !narrow.isAlternative && !isDeclared(narrow, name);
  }

  #areOthersContained(narrow: Form, wide: Form): boolean {
    const { narrow: narrowSpace, wide: wideSpace } = this.spaces;
    const [narrowOther, wideOther] = [otherNodeOf(narrowSpace, narrow), otherNodeOf(wideSpace, wide)];
    if (!this.#isPartContained(narrowOther, wideOther)) return false;
    const [narrowPatterns, widePatterns] = [patternNodesOf(narrowSpace, narrow), patternNodesOf(wideSpace, wide)];
    for (const [pattern, node] of narrowPatterns)
      if (!this.#isPartContained(node, widePatterns.get(pattern) ?? wideOther)) return false;
    for (const [pattern, node] of widePatterns) {
      if (narrowPatterns.has(pattern)) continue;
      // Its names may be any of the others, or match any of the other patterns.
      for (const candidate of [narrowOther, ...narrowPatterns.values()])
        if (!this.#isPartContained(candidate, node)) return false;
    }
    // A name that matches a pattern of the narrow set alone may match any of the wide one.
    for (const [pattern, node] of narrowPatterns)
      if (!widePatterns.has(pattern))
        for (const candidate of widePatterns.values()) if (!this.#isPartContained(node, candidate)) return false;
    return true;
  }

  #areNamesContained(narrow: Form, wide: Form): boolean {
    if (wide.names.length === 0) return true;
    const wideNames = this.spaces.wide.nodeOf(...wide.names);
    if (
      narrow.names.length > 0 &&
      this.isContained(
        this.spaces.narrow.restrict(this.spaces.narrow.nodeOf(...narrow.names), { type: 'string' }),
        wideNames,
      )
    )
      return true;
    if (countPossibleNames(this.spaces.narrow, narrow) === Infinity) return false;
    const validator = new ValueValidator(this.spaces.wide);
    return declaredNamesOf(narrow).every((name) => validator.accepts(wideNames, name) === true);
  }

  #isContainedInUnion(narrow: SchemaNode, union: Union): boolean {
    if (this.#isContainedInMember(narrow, union)) return true;
    const { types } = narrow.form;
    if (types.size === 1) return false;
    return [...types].every((type) => {
      const part = this.spaces.narrow.restrict(narrow, restrictions[type]);
      return this.#isContainedInMember(part, union);
    });
  }

  #isContainedInMember(narrow: SchemaNode, { kind, members }: Union): boolean {
    const nodes = members.map((member) => this.spaces.wide.nodeOf(member));
    return nodes.some(
      (node, index) =>
        this.isContained(narrow, node) &&
        (kind === 'anyOf' ||
          nodes.every((other, position) => position === index || this.#areDisjoint(narrow.form, other.form))),
    );
  }

  /** Whether no value is in both sets, for certain: they have other types, or other values of a required member. */
  #areDisjoint(narrow: Form, wide: Form): boolean {
    const types = [...narrow.types].filter((type) => wide.types.has(type));
    if (haveDifferentValues(narrow, wide)) return true;
    if (types.length !== 1 || types[0] !== 'object') return types.length === 0;
    return [...narrow.required, ...wide.required].some((name) => {
      const member = memberNodeOf(this.spaces.narrow, narrow, name, 'narrow').form;
      const other = memberNodeOf(this.spaces.wide, wide, name, 'narrow').form;
      const haveSameType = [...member.types].some((type) => other.types.has(type));
      return !haveSameType || isNever(member) || isNever(other) || haveDifferentValues(member, other);
    });
  }
}

/** One object for each type, so that restricted nodes are the same each time. */
const restrictions: Readonly<Record<TypeName, { readonly type: string }>> = {
  null: { type: 'null' },
  boolean: { type: 'boolean' },
  number: { type: 'number' },
  string: { type: 'string' },
  array: { type: 'array' },
  object: { type: 'object' },
};

export const hasKeyword = ({ fragments }: SchemaNode, name: string): boolean =>
  fragments.some(({ keywords }) => keywords.has(name));
