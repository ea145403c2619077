import { isJsonArray, isJsonObject, type Json, type JsonObject } from '@portico/domain';
import { chooseBranch, required } from './branches.ts';
import { Violations } from './violations.ts';
import { formats } from './formats.ts';
import { canonical, listed, sameJson, typeFault } from './json-values.ts';
import { createSchemaLookup, type Schema, type SchemaMap, type SchemaObject } from './schema.ts';

/** A collection of findings. When it is full, the check stops. */
interface Findings {
  readonly full: boolean;
  add(path: readonly (string | number)[], message: string): void;
}

/** A location in the document. Its path changes as the check proceeds. */
interface Location {
  readonly path: (string | number)[];
  readonly findings: Findings;
}

const report = (at: Location, message: string): void => at.findings.add(at.path, message);

/**
 * Creates a check of documents against one schema that reports only relevant violations: if a schema offers
 * alternatives, only the one that the document evidently uses is checked (a reference, if there is a `$ref`; the
 * security scheme of that `type`), and only the deepest of a chain of causes is reported. The check finds violations
 * exactly when any other validator does (except for `format`). References in the document are not followed. Violations
 * are added to `violations`, if given.
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

  #check(schema: Schema, value: Json, at: Location): void {
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

  #checkValue(schema: SchemaObject, value: Json, at: Location): void {
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
      const minimum = schema.minimum;
      if (schema.exclusiveMinimum ? value <= minimum : value < minimum) {
        report(at, schema.exclusiveMinimum ? `must be greater than ${minimum}` : `must be at least ${minimum}`);
      }
    }
  }

  #checkItems(schema: SchemaObject, items: readonly Json[], at: Location) {
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

  #checkMembers(schema: SchemaObject, object: JsonObject, at: Location) {
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
    if (!constrainsMembers(schema)) return;
    for (const name of Object.keys(object)) {
      if (at.findings.full) return;
      at.path.push(name);
      this.#checkMember(schema, object, name, at);
      at.path.pop();
    }
  }

  #checkMember(schema: SchemaObject, object: JsonObject, name: string, at: Location): void {
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
    if (schema.unevaluatedProperties === false && !this.#covers(schema, object, name)) {
      report(at, 'is not a property that is known here');
    }
  }

  /** Returns the schemas that `properties` and `patternProperties` define for a member of that name. */
  #schemasOf(schema: SchemaObject, name: string): Schema[] {
    const schemas: Schema[] = [];
    const own = memberSchema(schema.properties, name);
    if (own !== undefined) schemas.push(own);
    for (const [pattern, one] of Object.entries(schema.patternProperties ?? {})) {
      if (this.#matches(pattern, name)) schemas.push(one);
    }
    return schemas;
  }

  #checkCombinations(schema: SchemaObject, value: Json, at: Location) {
    for (const one of schema.allOf ?? []) this.#check(one, value, at);
    if (schema.not !== undefined && this.#conforms(schema.not, value)) report(at, exclusionMessage(schema.not));
    if (schema.if !== undefined) {
      const branch = this.#evaluateCondition(schema.if, value);
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

  #checkOneOf(branches: readonly Schema[], value: Json, at: Location) {
    const choice = chooseBranch(branches, value, (branch) => this.#resolved(branch));
    if ('fault' in choice) return at.findings.add([...at.path, ...choice.at], choice.fault);
    if ('branch' in choice) return this.#check(choice.branch, value, at);
    const conforming = choice.candidates.filter((branch) => this.#conforms(branch, value));
    if (conforming.length === 0) report(at, this.#alternatives(choice.candidates, value));
    if (conforming.length > 1) report(at, exclusivityMessage(conforming));
  }

  /**
   * Returns a branch as an object, with its `$ref` resolved. In the official schemas, `$ref` has no sibling keywords.
   */
  #resolved(schema: Schema): SchemaObject {
    const target = typeof schema === 'object' && schema.$ref !== undefined ? this.#lookup(schema.$ref) : schema;
    return typeof target === 'object' ? target : {};
  }

  #conforms(schema: Schema, value: Json): boolean {
    const findings = { full: false, add: () => void (findings.full = true) };
    this.#check(schema, value, { path: [], findings });
    return !findings.full;
  }

  /**
   * Returns whether a condition holds; null if it tests the value of an absent member. In that case, neither branch
   * should be checked: `required` reports the missing member.
   */
  #evaluateCondition(condition: Schema, value: Json): boolean | null {
    const tested = typeof condition === 'object' ? Object.entries(condition.properties ?? {}) : [];
    const absent = tested.some(
      ([name, one]) =>
        isJsonObject(value) && typeof one === 'object' && one.const !== undefined && !Object.hasOwn(value, name),
    );
    return absent && !(typeof condition === 'object' && condition.required) ? null : this.#conforms(condition, value);
  }

  /** Returns whether the schema covers that member, for `unevaluatedProperties` (2020-12, section 11.3). */
  #covers(schema: Schema, object: JsonObject, name: string): boolean {
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
      const branch = this.#evaluateCondition(schema.if, object);
      if (branch !== false) parts.push(schema.if, schema.then ?? true);
      if (branch !== true) parts.push(schema.else ?? true);
    }
    return parts.some((one) => this.#covers(one, object, name));
  }

  /** Returns a message for a value that fits none of several forms, with the first violation of each form. */
  #alternatives(branches: readonly Schema[], value: Json): string {
    const names = branches.map((branch) => required(this.#resolved(branch)));
    if (names.every((one) => one.length === 1)) return `must have property ${listed(names.flat(), ' or ')}`;
    const firsts = branches.map((branch) => {
      const findings = new Violations();
      this.#check(branch, value, { path: [], findings });
      const [first] = findings.first;
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

const constrainsMembers = (schema: SchemaObject): boolean =>
  schema.properties !== undefined ||
  schema.patternProperties !== undefined ||
  schema.additionalProperties !== undefined ||
  schema.unevaluatedProperties !== undefined ||
  schema.propertyNames !== undefined;

function exclusionMessage(schema: Schema): string {
  const names = typeof schema === 'object' ? required(schema) : [];
  if (names.length > 1) return `must not have ${names.length === 2 ? 'both' : 'all of'} ${listed(names, ' and ')}`;
  return names.length === 1 ? `must not have property ${listed(names)}` : 'must not have this form';
}

function exclusivityMessage(branches: readonly Schema[]): string {
  const names = branches.flatMap((branch) => (typeof branch === 'object' ? required(branch) : []));
  return names.length === branches.length
    ? `must not have ${names.length === 2 ? 'both' : 'all of'} ${listed(names, ' and ')}`
    : 'must fit only one of several forms that exclude each other';
}
