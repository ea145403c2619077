import { isJsonArray, isJsonObject, type Json, type JsonObject } from '@portico/domain';
import { chooseBranch, required } from './branches.ts';
import { Violations } from './violations.ts';
import { formats } from './formats.ts';
import { canonical, listed, sameJson, typeFault } from './json-values.ts';
import { createSchemaLookup, type Schema, type SchemaMap, type SchemaObject } from './schema.ts';

/** Collects findings; once full it needs no more. */
interface Findings {
  readonly full: boolean;
  add(path: readonly (string | number)[], message: string): void;
}

/** A place in the document; its path changes as the check proceeds. */
interface Place {
  readonly path: (string | number)[];
  readonly findings: Findings;
}

const report = (at: Place, message: string): void => at.findings.add(at.path, message);

/**
 * Creates a check of documents against one schema, which reports only violations that truly apply: where a schema
 * offers alternatives, only the one that the document evidently means is checked (a reference, if there is a `$ref`;
 * the security scheme of that `type`), and of a chain of causes only the deepest is reported. Whether there are any
 * violations agrees with every validator (except for `format`). References in the document are not followed. Adds to
 * `violations` if given.
 */
export function createSchemaCheck(root: SchemaObject): (document: Json, violations?: Violations) => Violations {
  const check = new SchemaCheck(root);
  return (document, violations = new Violations()) => {
    check.run(document, violations);
    return violations;
  };
}

class SchemaCheck {
  readonly #root: SchemaObject;
  readonly #lookup: (reference: string) => Schema;
  readonly #patterns = new Map<string, RegExp>();

  constructor(root: SchemaObject) {
    this.#root = root;
    this.#lookup = createSchemaLookup(root);
  }

  run(document: Json, violations: Violations): void {
    this.#check(this.#root, document, { path: [], findings: violations });
  }

  #check(schema: Schema, value: Json, at: Place): void {
    if (at.findings.full || schema === true) return;
    if (schema === false) return report(at, 'is not allowed here');
    if (schema.$ref !== undefined) this.#check(this.#lookup(schema.$ref), value, at);

    // A value of the wrong type has no members to check.
    const wrongType = schema.type === undefined ? null : typeFault(schema.type, value);
    if (wrongType) return report(at, wrongType);
    this.#checkValue(schema, value, at);
    if (isJsonArray(value)) this.#checkItems(schema, value, at);
    this.#checkCombinations(schema, value, at);
    if (isJsonObject(value)) this.#checkMembers(schema, value, at);
  }

  #checkValue(schema: SchemaObject, value: Json, at: Place): void {
    if (schema.enum && !schema.enum.some((one) => sameJson(one, value))) {
      report(at, schema.enum.length === 1 ? `must be ${listed(schema.enum)}` : `must be one of ${listed(schema.enum)}`);
    }
    if (schema.const !== undefined && !sameJson(schema.const, value)) report(at, `must be ${listed([schema.const])}`);
    if (typeof value === 'string') {
      if (schema.pattern !== undefined && !this.#matches(schema.pattern, value)) {
        report(at, `must match the pattern ${schema.pattern}`);
      }
      const format = schema.format === undefined ? undefined : formats[schema.format];
      if (format && !format.accepts(value)) report(at, format.must);
    }
    if (typeof value === 'number' && schema.minimum !== undefined) {
      const least = schema.minimum;
      if (schema.exclusiveMinimum ? value <= least : value < least) {
        report(at, schema.exclusiveMinimum ? `must be greater than ${least}` : `must be at least ${least}`);
      }
    }
  }

  #checkItems(schema: SchemaObject, items: readonly Json[], at: Place) {
    if (schema.minItems !== undefined && items.length < schema.minItems) {
      report(at, `must have at least ${schema.minItems} item${schema.minItems === 1 ? '' : 's'}`);
    }
    const seen = new Map<string, number>();
    items.forEach((item, i) => {
      if (at.findings.full) return;
      at.path.push(i);
      if (schema.uniqueItems && items.length > 1) {
        const text = canonical(item);
        const earlier = seen.get(text);
        if (earlier === undefined) seen.set(text, i);
        else report(at, `must differ from item ${earlier} of the list, which is the same`);
      }
      if (schema.items !== undefined) this.#check(schema.items, item, at);
      at.path.pop();
    });
  }

  #checkMembers(schema: SchemaObject, object: JsonObject, at: Place) {
    for (const name of schema.required ?? []) {
      if (!Object.hasOwn(object, name)) report(at, `must have property '${name}'`);
    }
    const { minProperties, maxProperties } = schema;
    if (minProperties !== undefined || maxProperties !== undefined) {
      const count = Object.keys(object).length;
      const properties = (n: number) => `${n} ${n === 1 ? 'property' : 'properties'}`;
      if (minProperties !== undefined && count < minProperties)
        report(at, `must have at least ${properties(minProperties)}`);
      if (maxProperties !== undefined && count > maxProperties)
        report(at, `must have at most ${properties(maxProperties)}`);
    }
    if (!speaksOfMembers(schema)) return;
    for (const name of Object.keys(object)) {
      if (at.findings.full) return;
      at.path.push(name);
      this.#checkMember(schema, object, name, at);
      at.path.pop();
    }
  }

  #checkMember(schema: SchemaObject, object: JsonObject, name: string, at: Place): void {
    const value = object[name] ?? null;
    if (schema.propertyNames !== undefined) {
      const findings: Findings = { full: false, add: (_path, message) => report(at, `its name ${message}`) };
      this.#check(schema.propertyNames, name, { path: [], findings });
    }
    const known = this.#schemasOf(schema, name);
    for (const one of known) this.#check(one, value, at);
    const rest = schema.additionalProperties;
    if (known.length === 0 && rest === false) report(at, 'is not a property that is known here');
    else if (known.length === 0 && rest !== undefined) this.#check(rest, value, at);
    if (schema.unevaluatedProperties === false && !this.#knows(schema, object, name)) {
      report(at, 'is not a property that is known here');
    }
  }

  /** The schemas that `properties` and `patternProperties` give for a member of that name. */
  #schemasOf(schema: SchemaObject, name: string): Schema[] {
    const found: Schema[] = [];
    const own = memberSchema(schema.properties, name);
    if (own !== undefined) found.push(own);
    for (const [pattern, one] of Object.entries(schema.patternProperties ?? {})) {
      if (this.#matches(pattern, name)) found.push(one);
    }
    return found;
  }

  #checkCombinations(schema: SchemaObject, value: Json, at: Place) {
    for (const one of schema.allOf ?? []) this.#check(one, value, at);
    if (schema.not !== undefined && this.#conforms(schema.not, value)) report(at, excluded(schema.not));
    if (schema.if !== undefined) {
      const branch = this.#decided(schema.if, value);
      if (branch === true && schema.then !== undefined) this.#check(schema.then, value, at);
      if (branch === false && schema.else !== undefined) this.#check(schema.else, value, at);
    }
    for (const [name, one] of Object.entries(schema.dependentSchemas ?? {})) {
      if (isJsonObject(value) && Object.hasOwn(value, name)) this.#check(one, value, at);
    }
    if (schema.anyOf && !schema.anyOf.some((one) => this.#conforms(one, value))) {
      report(at, this.#alternatives(schema.anyOf, value));
    }
    if (schema.oneOf) this.#checkOneOf(schema.oneOf, value, at);
  }

  #checkOneOf(branches: readonly Schema[], value: Json, at: Place) {
    const choice = chooseBranch(branches, value, (branch) => this.#resolved(branch));
    if ('fault' in choice) return at.findings.add([...at.path, ...choice.at], choice.fault);
    if ('branch' in choice) return this.#check(choice.branch, value, at);
    const conforming = choice.open.filter((branch) => this.#conforms(branch, value));
    if (conforming.length === 0) report(at, this.#alternatives(choice.open, value));
    if (conforming.length > 1) report(at, exclusive(conforming));
  }

  /** A branch as an object, with its `$ref` resolved; in the official schemas a `$ref` stands alone. */
  #resolved(schema: Schema): SchemaObject {
    const target = typeof schema === 'object' && schema.$ref !== undefined ? this.#lookup(schema.$ref) : schema;
    return typeof target === 'object' ? target : {};
  }

  #conforms(schema: Schema, value: Json): boolean {
    const found = { full: false, add: () => void (found.full = true) };
    this.#check(schema, value, { path: [], findings: found });
    return !found.full;
  }

  /**
   * Whether a condition holds; null if it tests the value of an absent member. Either side would then be checked for no
   * reason: `required` reports the missing member.
   */
  #decided(condition: Schema, value: Json): boolean | null {
    const asked = typeof condition === 'object' ? Object.entries(condition.properties ?? {}) : [];
    const absent = asked.some(
      ([name, one]) =>
        isJsonObject(value) && typeof one === 'object' && one.const !== undefined && !Object.hasOwn(value, name),
    );
    return absent && !(typeof condition === 'object' && condition.required) ? null : this.#conforms(condition, value);
  }

  /** Whether the schema covers that member, for `unevaluatedProperties` (2020-12, section 11.3). */
  #knows(schema: Schema, object: JsonObject, name: string): boolean {
    if (typeof schema === 'boolean') return false;
    if (schema.additionalProperties !== undefined || this.#schemasOf(schema, name).length > 0) return true;
    const parts: Schema[] = [...(schema.allOf ?? [])];
    if (schema.$ref !== undefined) parts.push(this.#lookup(schema.$ref));
    for (const [present, one] of Object.entries(schema.dependentSchemas ?? {})) {
      if (Object.hasOwn(object, present)) parts.push(one);
    }
    for (const one of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) {
      if (this.#conforms(one, object)) parts.push(one);
    }
    if (schema.if !== undefined) {
      const branch = this.#decided(schema.if, object);
      if (branch !== false) parts.push(schema.if, schema.then ?? true);
      if (branch !== true) parts.push(schema.else ?? true);
    }
    return parts.some((one) => this.#knows(one, object, name));
  }

  /** The first violation of each of several forms, none of which is met. */
  #alternatives(branches: readonly Schema[], value: Json): string {
    const names = branches.map((branch) => required(this.#resolved(branch)));
    if (names.every((one) => one.length === 1)) return `must have property ${listed(names.flat(), ' or ')}`;
    const firsts = branches.map((branch) => {
      const found = new Violations();
      this.#check(branch, value, { path: [], findings: found });
      const [first] = found.first;
      return first?.pointer ? `'${first.pointer.slice(1)}' ${first.message}` : first?.message;
    });
    return `must fit one of several forms: ${firsts.join(', or ')}`;
  }

  #matches(pattern: string, text: string): boolean {
    let expression = this.#patterns.get(pattern);
    if (!expression) this.#patterns.set(pattern, (expression = new RegExp(pattern, 'u')));
    return expression.test(text);
  }
}

const memberSchema = (schemas: SchemaMap | undefined, name: string): Schema | undefined =>
  schemas && Object.hasOwn(schemas, name) ? schemas[name] : undefined;

const speaksOfMembers = (schema: SchemaObject): boolean =>
  schema.properties !== undefined ||
  schema.patternProperties !== undefined ||
  schema.additionalProperties !== undefined ||
  schema.unevaluatedProperties !== undefined ||
  schema.propertyNames !== undefined;

function excluded(schema: Schema): string {
  const names = typeof schema === 'object' ? required(schema) : [];
  if (names.length > 1) return `must not have ${names.length === 2 ? 'both' : 'all of'} ${listed(names, ' and ')}`;
  return names.length === 1 ? `must not have property ${listed(names)}` : 'must not have this form';
}

function exclusive(branches: readonly Schema[]): string {
  const names = branches.flatMap((branch) => (typeof branch === 'object' ? required(branch) : []));
  return names.length === branches.length
    ? `must not have ${names.length === 2 ? 'both' : 'all of'} ${listed(names, ' and ')}`
    : 'must fit only one of several forms that exclude each other';
}
