import type { Json } from '../../json.ts';
import { labelOf, nameOf } from './alternative-names.ts';
import { Candidates } from './candidates.ts';
import {
  acceptsAll,
  branchesOf,
  declarationOf,
  declaredNamesOf,
  firstItemsOf,
  isDeclared,
  itemNodeOf,
  memberNodeOf,
  otherNodeOf,
  patternNodesOf,
  restNodeOf,
} from './members.ts';
import type { Containment } from './containment.ts';
import { hasKeyword } from './containment.ts';
import { isNever } from './set-sizes.ts';
import type { Child, Difference, SchemaPair } from './difference.ts';
import type { Form, Union } from './form.ts';
import type { Fragment } from './fragment.ts';
import { listLooseLimits, type LooseLimit } from './loose-limits.ts';
import { samplesOfPattern } from './pattern-samples.ts';
import type { UnchangedParts } from '../unchanged-parts.ts';
import type { SchemaNode, SchemaSpace } from './schema-space.ts';
import { valueKeyOf } from './json-value.ts';
import { ValueSampler } from './value-sampler.ts';

/** The pairs of schemas of two documents that are at the same positions, each compared once. */
export class SchemaPairs {
  readonly containment: Containment;
  readonly #reverse: Containment;
  readonly candidates: Candidates;
  readonly #pairs = new Map<string, SchemaPair>();
  readonly #narrow: SchemaSpace;
  readonly #unchangedParts: UnchangedParts;
  readonly #wide: SchemaSpace;

  constructor(containment: Containment, reverse: Containment, unchangedParts: UnchangedParts) {
    this.#unchangedParts = unchangedParts;
    this.containment = containment;
    this.#reverse = reverse;
    const { narrow, wide } = containment.spaces;
    this.#narrow = narrow;
    this.#wide = wide;
    this.candidates = new Candidates(narrow, wide, new ValueSampler(narrow));
  }

  pairOf(narrow: SchemaNode, wide: SchemaNode): SchemaPair {
    const key = `${narrow.key} ${wide.key}`;
    let pair = this.#pairs.get(key);
    if (!pair) this.#pairs.set(key, (pair = this.#createPair(narrow, wide)));
    return pair;
  }

  #createPair(narrow: SchemaNode, wide: SchemaNode): SchemaPair {
    let content: Pick<SchemaPair, 'differences' | 'children'> | null = null;
    const compare = () => (content ??= this.#compare(narrow, wide));
    return {
      narrow,
      wide,
      get differences() {
        return compare().differences;
      },
      get children() {
        return compare().children;
      },
    };
  }

  #compare(narrow: SchemaNode, wide: SchemaNode): Pick<SchemaPair, 'differences' | 'children'> {
    const unions = this.#compareUnions(narrow, wide);
    if (unions.isWhole) return unions;
    const [form, other] = [narrow.form, wide.form];
    const { differences, children } = this.#compareMembers(narrow, wide);
    const limits = this.#compareLimits(narrow, wide);
    const requiredNames = new Set(limits.filter(({ keyword }) => keyword === 'required').map(({ subject }) => subject));
    return {
      differences: [
        ...limits,
        // A member that is added or removed with its requirement is one difference.
        ...differences.filter(
          ({ keyword, subject }) => !keyword.startsWith('member of') || !requiredNames.has(subject),
        ),
        ...this.#compareConditions(narrow, wide),
        ...unions.differences,
      ],
      children: [...children, ...this.#itemChildren(form, other), ...unions.children],
    };
  }

  #compareLimits(narrow: SchemaNode, wide: SchemaNode): readonly Difference[] {
    const [form, other] = [narrow.form, wide.form];
    if (isNever(form) !== isNever(other))
      return [
        this.#differenceOf('never', null, isNever(other) ? 'tightened' : 'loosened', () =>
          this.candidates.between(narrow, wide),
        ),
      ];
    const isHidden = ({ keyword, subject }: LooseLimit): boolean =>
      keyword === 'required' && this.containment.isHiddenIn(other, subject ?? '');
    const limits = this.containment.listLimits(form, other).filter((limit) => !isHidden(limit));
    const tightened = limits.map((limit): Difference => ({
      ...this.#differenceOf(limit.keyword, limit.subject, 'tightened', () =>
        this.candidates.exceeding(narrow, wide, limit),
      ),
      isExcepted: limit.keyword === 'required' && this.containment.isOptionalAnyway(other, limit.subject ?? ''),
    }));
    const changedKeywords = new Set(
      tightened.map(({ keyword }) => keyword).filter((keyword) => !listKeywords.has(keyword)),
    );
    const loosened = listLooseLimits(other, form)
      .filter(({ keyword }) => !changedKeywords.has(keyword))
      .map(({ keyword, subject }) => this.#differenceOf(keyword, subject, 'loosened'));
    return [...tightened, ...loosened];
  }

  #differenceOf(
    keyword: string,
    subject: string | null,
    effect: Difference['effect'],
    candidates: Difference['candidates'] = () => [],
  ): Difference {
    let values: readonly Json[] | null = null;
    return { keyword, subject, effect, isExcepted: false, candidates: () => (values ??= candidates()) };
  }

  #compareMembers(narrow: SchemaNode, wide: SchemaNode): Pick<SchemaPair, 'differences' | 'children'> {
    const [form, other] = [narrow.form, wide.form];
    const differences: Difference[] = [];
    const children: Child[] = [];
    if (!form.types.has('object') || !other.types.has('object')) return { differences, children };
    for (const name of new Set([...declaredNamesOf(form), ...declaredNamesOf(other)])) {
      if (this.#isUnchanged(declarationOf(form, name), declarationOf(other, name))) continue;
      const [member, otherMember] = [
        memberNodeOf(this.#narrow, form, name, 'narrow'),
        memberNodeOf(this.#wide, other, name, 'wide'),
      ];
      if (isDeclared(form, name) && isDeclared(other, name)) {
        differences.push(...this.#compareFlags(name, member, otherMember));
        if (!this.containment.isHidden(form, other, name))
          children.push({ step: { kind: 'member', name }, pair: this.pairOf(member, otherMember) });
      } else {
        differences.push(this.#differenceOfMember(name, narrow, wide, [member, otherMember]));
      }
    }
    this.#compareOthers(narrow, wide, differences, children);
    return { differences, children };
  }

  #isUnchanged(schema: Json | undefined, other: Json | undefined): boolean {
    if (schema === undefined || other === undefined) return false;
    const isBefore = this.containment.spaces.equality.before === this.#narrow;
    return isBefore ? this.#unchangedParts.isUnchanged(schema, other) : this.#unchangedParts.isUnchanged(other, schema);
  }

  /** Returns the flags of a member that were added or removed; they limit no values. */
  #compareFlags(name: string, member: SchemaNode, otherMember: SchemaNode): readonly Difference[] {
    return (['readOnly', 'writeOnly', 'deprecated'] as const)
      .filter((flag) => hasKeyword(member, flag) !== hasKeyword(otherMember, flag))
      .map((flag) => this.#differenceOf(flag, name, hasKeyword(otherMember, flag) ? 'noted' : 'loosened'));
  }

  /** Returns the difference of a member that only one side declares: a limit by the narrow side cannot exceed one. */
  #differenceOfMember(
    name: string,
    narrow: SchemaNode,
    wide: SchemaNode,
    [member, otherMember]: readonly [SchemaNode, SchemaNode],
  ): Difference {
    const isOnlyNarrow = isDeclared(narrow.form, name);
    const isContained = this.containment.isContained(member, otherMember);
    const isExcepted =
      this.containment.isHidden(narrow.form, wide.form, name) ||
      (this.containment.isUndeclared(narrow.form, name) && acceptsAll(member));
    const keyword = isOnlyNarrow ? 'member of narrow' : 'member of wide';
    const candidates = (): readonly Json[] =>
      this.candidates
        .between(member, otherMember)
        .flatMap((value) => this.candidates.sampler.complete(narrow, { [name]: value }) ?? []);
    return { ...this.#differenceOf(keyword, name, isContained ? 'noted' : 'tightened', candidates), isExcepted };
  }

  #compareOthers(narrow: SchemaNode, wide: SchemaNode, differences: Difference[], children: Child[]): void {
    const [form, other] = [narrow.form, wide.form];
    const compare = (
      keyword: string,
      step: Child['step'],
      nodes: readonly [SchemaNode, SchemaNode],
      names: () => readonly string[],
    ): void => {
      const [node, otherNode] = nodes;
      if (isPlain(node) || isPlain(otherNode)) {
        const isTightened = !this.containment.isContained(node, otherNode);
        if (!isTightened && this.#reverse.isContained(otherNode, node)) return;
        const candidates = (): readonly Json[] =>
          names()
            .slice(0, 3)
            .flatMap((name) =>
              this.candidates
                .between(node, otherNode)
                .flatMap((value) => this.candidates.sampler.complete(narrow, { [name]: value }) ?? []),
            );
        const subject = step.kind === 'matching member' ? step.pattern : null;
        differences.push(this.#differenceOf(keyword, subject, isTightened ? 'tightened' : 'loosened', candidates));
      } else {
        children.push({ step, pair: this.pairOf(node, otherNode) });
      }
    };
    const others = [otherNodeOf(this.#narrow, form), otherNodeOf(this.#wide, other)] as const;
    const freshNames = () => this.candidates.sampler.freshNames(form).filter((name) => !isDeclared(other, name));
    compare('additionalProperties', { kind: 'other member' }, others, freshNames);
    const [patterns, otherPatterns] = [patternNodesOf(this.#narrow, form), patternNodesOf(this.#wide, other)];
    for (const pattern of new Set([...patterns.keys(), ...otherPatterns.keys()]))
      compare(
        'patternProperties',
        { kind: 'matching member', pattern },
        [patterns.get(pattern) ?? others[0], otherPatterns.get(pattern) ?? others[1]],
        () => samplesOfPattern(pattern),
      );
    if (this.#isDifferentLists(form.names, other.names))
      this.#addWhole('propertyNames', narrow, wide, differences, other.names.length > 0);
  }

  #itemChildren(form: Form, other: Form): readonly Child[] {
    if (!form.types.has('array') || !other.types.has('array')) return [];
    const count = Math.max(firstItemsOf(form), firstItemsOf(other));
    const children: Child[] = [];
    for (let index = 0; index < Math.min(count, 1_000); index++)
      children.push({
        step: { kind: 'item', index },
        pair: this.pairOf(itemNodeOf(this.#narrow, form, index), itemNodeOf(this.#wide, other, index)),
      });
    return [
      ...children,
      { step: { kind: 'items' }, pair: this.pairOf(restNodeOf(this.#narrow, form), restNodeOf(this.#wide, other)) },
    ];
  }

  #isDifferentLists(schemas: readonly Json[], others: readonly Json[]): boolean {
    const { equality } = this.containment.spaces;
    const isBefore = equality.before === this.#narrow;
    return (
      schemas.length !== others.length ||
      schemas.some(
        (schema, index) =>
          !(isBefore ? equality.isSame(schema, others[index]) : equality.isSame(others[index], schema)),
      )
    );
  }

  /** Adds a difference of a keyword that is compared as a whole. */
  #addWhole(keyword: string, narrow: SchemaNode, wide: SchemaNode, differences: Difference[], isStated: boolean): void {
    const candidates = () => this.candidates.between(narrow, wide);
    differences.push(this.#differenceOf(keyword, null, isStated ? 'tightened' : 'loosened', candidates));
  }

  /** Compares the conditions that are not taken apart: `not`, `if`, `contains` and so on. */
  #compareConditions(narrow: SchemaNode, wide: SchemaNode): readonly Difference[] {
    const differences: Difference[] = [];
    const [form, other] = [narrow.form, wide.form];
    for (const name of [
      'not',
      'if',
      'dependentSchemas',
      'unevaluatedProperties',
      'unevaluatedItems',
      '$ref',
    ] as const) {
      const keywords = name === 'if' ? ['if', 'then', 'else'] : [name];
      const [schemas, others] = [form, other].map(({ opaque }) =>
        opaque
          .filter((condition) => condition.name === name)
          .flatMap(({ fragment }) => keywords.map((keyword) => conditionOf(fragment, keyword))),
      );
      const isDifferent =
        name === '$ref'
          ? valueKeyOf(schemas ?? []) !== valueKeyOf(others ?? [])
          : this.#isDifferentLists(schemas ?? [], others ?? []);
      if (isDifferent) this.#addWhole(name, narrow, wide, differences, (others ?? []).length > 0);
    }
    const isDifferent =
      this.#isDifferentLists(
        form.contains.map(({ schema }) => schema),
        other.contains.map(({ schema }) => schema),
      ) ||
      form.contains.some(
        ({ min, max }, index) => min !== other.contains[index]?.min || max !== other.contains[index].max,
      );
    if (isDifferent) this.#addWhole('contains', narrow, wide, differences, other.contains.length > 0);
    return differences;
  }

  #compareUnions(
    narrow: SchemaNode,
    wide: SchemaNode,
  ): Pick<SchemaPair, 'differences' | 'children'> & { readonly isWhole: boolean } {
    const [unions, others] = [narrow.form.unions, wide.form.unions];
    const nothing = { differences: [], children: [], isWhole: false };
    if (unions.length === 0 && others.length === 0) return nothing;
    if (unions.length === others.length && unions.every(({ kind }, index) => kind === others[index]?.kind)) {
      const parts = unions.map((union, index) => this.#compareAlternatives(narrow, union, others[index] ?? union));
      return {
        differences: parts.flatMap((part) => part.differences),
        children: parts.flatMap((part) => part.children),
        isWhole: false,
      };
    }
    const isContained = this.containment.isContained(narrow, wide);
    const isSame = isContained && this.#reverse.isContained(wide, narrow);
    if (isSame) return { ...nothing, isWhole: true };
    const keyword = (others[0] ?? unions[0])?.kind ?? 'anyOf';
    const difference = this.#differenceOf(`${keyword} as a whole`, null, isContained ? 'loosened' : 'tightened', () =>
      this.candidates.between(narrow, wide),
    );
    const branches = others.length === 0 && !isContained ? branchesOf(this.#narrow, narrow, 16) : null;
    if (!branches) return { differences: [difference], children: [], isWhole: true };
    const children = branches.map((branch): Child => ({
      step: { kind: 'alternative' },
      pair: this.pairOf(branch, wide),
    }));
    return { differences: [], children, isWhole: true };
  }

  #compareAlternatives(narrow: SchemaNode, union: Union, other: Union): Pick<SchemaPair, 'differences' | 'children'> {
    const partners = this.#pairMembers(union, other);
    const differences: Difference[] = [];
    const children: Child[] = [];
    for (const [index, member] of union.members.entries()) {
      const partner = partners.get(index);
      if (partner !== undefined) {
        const pair = this.pairOf(this.#narrow.nodeOf(member), this.#wide.nodeOf(other.members[partner]));
        children.push({ step: { kind: 'alternative' }, pair });
        continue;
      }
      const node = this.#narrow.chooseMember(narrow, union, member);
      const candidates = () => this.candidates.sampler.samples(node);
      differences.push(this.#differenceOf(union.kind, labelOf(member, index), 'tightened', candidates));
    }
    const usedIndexes = new Set(partners.values());
    for (const [index, member] of other.members.entries())
      if (!usedIndexes.has(index)) differences.push(this.#differenceOf(union.kind, labelOf(member, index), 'loosened'));
    return { differences, children };
  }

  /** Pairs alternatives by name, then those that are the same, then those at the same position. */
  #pairMembers(union: Union, other: Union): ReadonlyMap<number, number> {
    const partners = new Map<number, number>();
    const freeIndexes = new Set(other.members.keys());
    const pairBy = (isPartner: (index: number, position: number) => boolean): void => {
      for (const index of union.members.keys()) {
        if (partners.has(index)) continue;
        for (const position of freeIndexes) {
          if (!this.#narrow.budget.spend(1)) return;
          if (!isPartner(index, position)) continue;
          partners.set(index, position);
          freeIndexes.delete(position);
          break;
        }
      }
    };
    const labels = [union, other].map(({ members }) => members.map((member) => nameOf(member)));
    pairBy((index, position) => labels[0]?.[index] != null && labels[0][index] === labels[1]?.[position]);
    pairBy(
      (index, position) => !this.#isDifferentLists([union.members[index] ?? true], [other.members[position] ?? true]),
    );
    pairBy(
      (index, position) =>
        labels[0]?.[index] == null &&
        labels[1]?.[position] == null &&
        this.#haveSameTypes(union, index, other, position),
    );
    return partners;
  }

  #haveSameTypes(union: Union, index: number, other: Union, position: number): boolean {
    const types = this.#narrow.nodeOf(union.members[index]).form.types;
    const otherTypes = this.#wide.nodeOf(other.members[position]).form.types;
    return types.size === otherTypes.size && [...types].every((type) => otherTypes.has(type));
  }
}

/** Keywords that list several things, which may change separately. */
const listKeywords = new Set(['enum', 'required', 'dependentRequired']);

/** Whether a node accepts everything or nothing. */
const isPlain = (node: SchemaNode): boolean => acceptsAll(node) || isNever(node.form);

/** Returns the schema of a condition: those of `dependentSchemas` as one of members, which is the same if they are. */
const conditionOf = ({ keywords }: Fragment, keyword: string): Json => {
  const value = keywords.get(keyword) ?? true;
  return keyword === 'dependentSchemas' ? { properties: value } : value;
};
