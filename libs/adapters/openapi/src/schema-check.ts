import { isJsonArray, isJsonObject, type Json, type JsonObject } from '@portico/domain';
import { chooseBranch, requiredNamesOf } from './branches.ts';
import { Violations } from './violations.ts';
import { formats } from './formats.ts';
import { toCanonicalJson, formatList, isSameJson, findTypeFault } from './json-values.ts';
import { createSchemaLookup, type Schema, type SchemaMap, type SchemaObject } from './schema.ts';

/** A collection of findings. When it is full, the check stops. */
interface Findings {
  readonly isFull: boolean;
  add(path: readonly (string | number)[], message: string): void;
}

/** A location in the document. Its path changes as the check proceeds. */
interface Location {
  readonly path: (string | number)[];
  readonly findings: Findings;
}

const report = (location: Location, message: string): void => location.findings.add(location.path, message);

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

  #check(schema: Schema, value: Json, location: Location): void {
    if (location.findings.isFull || schema === true) return;
    if (schema === false) return report(location, 'is not allowed here');
    if (schema.$ref !== undefined) this.#check(this.#lookup(schema.$ref), value, location);

    // A value of the wrong type has no members to check.
    const typeMessage = schema.type === undefined ? null : findTypeFault(schema.type, value);
    if (typeMessage) return report(location, typeMessage);
    this.#checkValue(schema, value, location);
    if (isJsonArray(value)) this.#checkItems(schema, value, location);
    this.#checkCombinations(schema, value, location);
    if (isJsonObject(value)) this.#checkMembers(schema, value, location);
  }

  #checkValue(schema: SchemaObject, value: Json, location: Location): void {
    if (schema.enum && !schema.enum.some((allowedValue) => isSameJson(allowedValue, value))) {
      report(
        location,
        schema.enum.length === 1 ? `must be ${formatList(schema.enum)}` : `must be one of ${formatList(schema.enum)}`,
      );
    }
    if (schema.const !== undefined && !isSameJson(schema.const, value))
      report(location, `must be ${formatList([schema.const])}`);
    if (typeof value === 'string') {
      if (schema.pattern !== undefined && !this.#matches(schema.pattern, value)) {
        report(location, `must match the pattern ${schema.pattern}`);
      }
      const format = schema.format === undefined ? undefined : formats[schema.format];
      if (format && !format.accepts(value)) report(location, format.message);
    }
    if (typeof value === 'number' && schema.minimum !== undefined) {
      const minimum = schema.minimum;
      if (schema.exclusiveMinimum ? value <= minimum : value < minimum) {
        report(location, schema.exclusiveMinimum ? `must be greater than ${minimum}` : `must be at least ${minimum}`);
      }
    }
  }

  #checkItems(schema: SchemaObject, items: readonly Json[], location: Location) {
    if (schema.minItems !== undefined && items.length < schema.minItems) {
      report(location, `must have at least ${schema.minItems} item${schema.minItems === 1 ? '' : 's'}`);
    }
    const indexByText = new Map<string, number>();
    items.forEach((item, i) => {
      if (location.findings.isFull) return;
      location.path.push(i);
      if (schema.uniqueItems && items.length > 1) {
        const text = toCanonicalJson(item);
        const earlierIndex = indexByText.get(text);
        if (earlierIndex === undefined) indexByText.set(text, i);
        else report(location, `must differ from item ${earlierIndex} of the list`);
      }
      if (schema.items !== undefined) this.#check(schema.items, item, location);
      location.path.pop();
    });
  }

  #checkMembers(schema: SchemaObject, object: JsonObject, location: Location) {
    for (const name of schema.required ?? []) {
      if (!Object.hasOwn(object, name)) report(location, `must have property '${name}'`);
    }
    const { minProperties, maxProperties } = schema;
    if (minProperties !== undefined || maxProperties !== undefined) {
      const count = Object.keys(object).length;
      const formatPropertyCount = (n: number) => `${n} ${n === 1 ? 'property' : 'properties'}`;
      if (minProperties !== undefined && count < minProperties)
        report(location, `must have at least ${formatPropertyCount(minProperties)}`);
      if (maxProperties !== undefined && count > maxProperties)
        report(location, `must have at most ${formatPropertyCount(maxProperties)}`);
    }
    if (!constrainsMembers(schema)) return;
    for (const name of Object.keys(object)) {
      if (location.findings.isFull) return;
      location.path.push(name);
      this.#checkMember(schema, object, name, location);
      location.path.pop();
    }
  }

  #checkMember(schema: SchemaObject, object: JsonObject, name: string, location: Location): void {
    const value = object[name] ?? null;
    if (schema.propertyNames !== undefined) {
      const findings: Findings = { isFull: false, add: (_path, message) => report(location, `its name ${message}`) };
      this.#check(schema.propertyNames, name, { path: [], findings });
    }
    const memberSchemas = this.#schemasOf(schema, name);
    for (const subschema of memberSchemas) this.#check(subschema, value, location);
    const additionalSchema = schema.additionalProperties;
    if (memberSchemas.length === 0 && additionalSchema === false) report(location, 'is not a known property here');
    else if (memberSchemas.length === 0 && additionalSchema !== undefined)
      this.#check(additionalSchema, value, location);
    if (schema.unevaluatedProperties === false && !this.#covers(schema, object, name)) {
      report(location, 'is not a known property here');
    }
  }

  /** Returns the schemas that `properties` and `patternProperties` define for a member of that name. */
  #schemasOf(schema: SchemaObject, name: string): Schema[] {
    const schemas: Schema[] = [];
    const propertySchema = findMemberSchema(schema.properties, name);
    if (propertySchema !== undefined) schemas.push(propertySchema);
    for (const [pattern, subschema] of Object.entries(schema.patternProperties ?? {})) {
      if (this.#matches(pattern, name)) schemas.push(subschema);
    }
    return schemas;
  }

  #checkCombinations(schema: SchemaObject, value: Json, location: Location) {
    for (const subschema of schema.allOf ?? []) this.#check(subschema, value, location);
    if (schema.not !== undefined && this.#conforms(schema.not, value)) report(location, describeExclusion(schema.not));
    if (schema.if !== undefined) {
      const branch = this.#evaluateCondition(schema.if, value);
      if (branch === true && schema.then !== undefined) this.#check(schema.then, value, location);
      if (branch === false && schema.else !== undefined) this.#check(schema.else, value, location);
    }
    for (const [name, subschema] of Object.entries(schema.dependentSchemas ?? {})) {
      if (isJsonObject(value) && Object.hasOwn(value, name)) this.#check(subschema, value, location);
    }
    if (schema.anyOf && !schema.anyOf.some((subschema) => this.#conforms(subschema, value))) {
      report(location, this.#describeAlternatives(schema.anyOf, value));
    }
    if (schema.oneOf) this.#checkOneOf(schema.oneOf, value, location);
  }

  #checkOneOf(branches: readonly Schema[], value: Json, location: Location) {
    const choice = chooseBranch(branches, value, (branch) => this.#resolve(branch));
    if ('fault' in choice) return location.findings.add([...location.path, ...choice.path], choice.fault);
    if ('branch' in choice) return this.#check(choice.branch, value, location);
    const conformingBranches = choice.candidates.filter((branch) => this.#conforms(branch, value));
    if (conformingBranches.length === 0) report(location, this.#describeAlternatives(choice.candidates, value));
    if (conformingBranches.length > 1) report(location, describeExclusivity(conformingBranches));
  }

  /**
   * Returns a branch as an object, with its `$ref` resolved. In the official schemas, `$ref` has no sibling keywords.
   */
  #resolve(schema: Schema): SchemaObject {
    const target = typeof schema === 'object' && schema.$ref !== undefined ? this.#lookup(schema.$ref) : schema;
    return typeof target === 'object' ? target : {};
  }

  #conforms(schema: Schema, value: Json): boolean {
    const findings = { isFull: false, add: () => void (findings.isFull = true) };
    this.#check(schema, value, { path: [], findings });
    return !findings.isFull;
  }

  /**
   * Returns whether a condition holds; null if it tests the value of an absent member. In that case, neither branch
   * should be checked: `required` reports the missing member.
   */
  #evaluateCondition(condition: Schema, value: Json): boolean | null {
    const testedProperties = typeof condition === 'object' ? Object.entries(condition.properties ?? {}) : [];
    const isAbsent = testedProperties.some(
      ([name, subschema]) =>
        isJsonObject(value) &&
        typeof subschema === 'object' &&
        subschema.const !== undefined &&
        !Object.hasOwn(value, name),
    );
    return isAbsent && !(typeof condition === 'object' && condition.required) ? null : this.#conforms(condition, value);
  }

  /** Returns whether the schema covers that member, for `unevaluatedProperties` (2020-12, section 11.3). */
  #covers(schema: Schema, object: JsonObject, name: string): boolean {
    if (typeof schema === 'boolean') return false;
    if (schema.additionalProperties !== undefined || this.#schemasOf(schema, name).length > 0) return true;
    const parts: Schema[] = [...(schema.allOf ?? [])];
    if (schema.$ref !== undefined) parts.push(this.#lookup(schema.$ref));
    for (const [memberName, subschema] of Object.entries(schema.dependentSchemas ?? {})) {
      if (Object.hasOwn(object, memberName)) parts.push(subschema);
    }
    for (const subschema of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) {
      if (this.#conforms(subschema, object)) parts.push(subschema);
    }
    if (schema.if !== undefined) {
      const branch = this.#evaluateCondition(schema.if, object);
      if (branch !== false) parts.push(schema.if, schema.then ?? true);
      if (branch !== true) parts.push(schema.else ?? true);
    }
    return parts.some((subschema) => this.#covers(subschema, object, name));
  }

  /** Returns a message for a value that fits none of several forms, with the first violation of each form. */
  #describeAlternatives(branches: readonly Schema[], value: Json): string {
    const names = branches.map((branch) => requiredNamesOf(this.#resolve(branch)));
    if (names.every((requiredNames) => requiredNames.length === 1))
      return `must have property ${formatList(names.flat(), ' or ')}`;
    const firstMessages = branches.map((branch) => {
      const findings = new Violations();
      this.#check(branch, value, { path: [], findings });
      const [firstViolation] = findings.first;
      return firstViolation?.pointer
        ? `'${firstViolation.pointer.slice(1)}' ${firstViolation.message}`
        : firstViolation?.message;
    });
    return `must match one of several forms: ${firstMessages.join(', or ')}`;
  }

  #matches(pattern: string, text: string): boolean {
    let expression = this.#patterns.get(pattern);
    if (!expression) this.#patterns.set(pattern, (expression = new RegExp(pattern, 'u')));
    return expression.test(text);
  }
}

const findMemberSchema = (schemas: SchemaMap | undefined, name: string): Schema | undefined =>
  schemas && Object.hasOwn(schemas, name) ? schemas[name] : undefined;

const constrainsMembers = (schema: SchemaObject): boolean =>
  schema.properties !== undefined ||
  schema.patternProperties !== undefined ||
  schema.additionalProperties !== undefined ||
  schema.unevaluatedProperties !== undefined ||
  schema.propertyNames !== undefined;

function describeExclusion(schema: Schema): string {
  const names = typeof schema === 'object' ? requiredNamesOf(schema) : [];
  if (names.length > 1) return `must not have ${names.length === 2 ? 'both' : 'all of'} ${formatList(names, ' and ')}`;
  return names.length === 1 ? `must not have property ${formatList(names)}` : 'must not have this form';
}

function describeExclusivity(branches: readonly Schema[]): string {
  const names = branches.flatMap((branch) => (typeof branch === 'object' ? requiredNamesOf(branch) : []));
  return names.length === branches.length
    ? `must not have ${names.length === 2 ? 'both' : 'all of'} ${formatList(names, ' and ')}`
    : 'must match only one of several mutually exclusive forms';
}
