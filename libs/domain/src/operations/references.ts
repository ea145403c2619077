import { localPathOf, memberOf, valueAt } from '../documents/document-value.ts';
import { findIdentified } from './identified-schemas.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { isConstraint, type Dialect } from './schema-keywords.ts';

/** The references that were followed to a schema, last one first, for detecting circular ones. */
export interface Trail {
  readonly target: string;
  readonly parent: Trail | null;
}

/** Why a part of a schema is missing: it contains itself, it is in another file, or the work for it is bounded. */
export type MissingReason = 'cycle' | 'external' | 'budget';

export interface Resolution {
  /** `true` and `false` are also schemas; any other value that is not an object has no effect. */
  readonly schema: JsonObject | boolean;
  readonly trail: Trail | null;
  /** Why a reference was not followed. */
  readonly missing: MissingReason | null;
}

/** A parsed document, and the dialect of its schemas. */
export interface Source {
  readonly document: Json;
  readonly dialect: Dialect;
}

export const sourceOf = (document: Json): Source => {
  const version = memberOf(document, 'openapi');
  return { document, dialect: typeof version === 'string' && version.startsWith('3.0') ? '3.0' : '3.1' };
};

/** The longest chain of references, each of which is only a reference to the next one, that is followed. */
const chainMax = 100;

/**
 * Follows a chain of local references, and returns the schema at its end. A reference without a target, to a position outside the
 * document, or back to a containing schema is returned unchanged. In OpenAPI 3.1, siblings of a reference also apply; in 3.0, they have no
 * effect.
 */
export function resolveReference(source: Source, value: Json | undefined, trail: Trail | null): Resolution {
  const { dialect } = source;
  let siblings: JsonObject = {};
  for (let step = 0; ; step++) {
    if (!isJsonObject(value)) return { schema: value !== false, trail, missing: null };
    const reference = memberOf(value, '$ref');
    if (typeof reference !== 'string') {
      const hasSiblings = Object.keys(siblings).length > 0;
      return { schema: hasSiblings ? { ...value, ...siblings } : value, trail, missing: null };
    }
    const target = findTarget(source, reference);
    if (!target) return { schema: { $ref: reference }, trail, missing: 'external' };
    if (isOnTrail(trail, target.name)) return { schema: { $ref: reference }, trail, missing: 'cycle' };
    if (step >= chainMax) return { schema: { $ref: reference }, trail, missing: 'budget' };
    if (dialect !== '3.0') {
      const { $ref, ...siblingKeywords } = value;
      if (Object.keys(siblingKeywords).some(isConstraint))
        return { schema: combine(siblingKeywords, $ref, siblings), trail, missing: null };
      siblings = { ...siblingKeywords, ...siblings };
    }
    trail = { target: target.name, parent: trail };
    value = target.value;
  }
}

interface Target {
  /** Identifies the target. */
  readonly name: string;
  readonly value: Json;
}

/** The targets that were found, by reference; each view of an operation has a source of its own. */
const targets = new WeakMap<Source, Map<string, Target | undefined>>();

/** Returns the target of a reference within the document, by pointer, anchor or id. */
function findTarget(source: Source, reference: string): Target | undefined {
  const targetsByReference = targets.get(source) ?? new Map<string, Target | undefined>();
  targets.set(source, targetsByReference);
  if (!targetsByReference.has(reference)) targetsByReference.set(reference, locate(source.document, reference));
  return targetsByReference.get(reference);
}

function locate(document: Json, reference: string): Target | undefined {
  const path = localPathOf(reference);
  const value = path && valueAt(document, path);
  if (path !== undefined && value !== undefined) return { name: path.join('/'), value };
  const identified = findIdentified(document, reference);
  return identified === undefined ? undefined : { name: reference, value: identified };
}

const combine = (schema: JsonObject, $ref: Json | undefined, siblings: JsonObject): JsonObject => {
  const allOf = memberOf(schema, 'allOf');
  return { ...schema, ...siblings, allOf: [{ $ref: $ref ?? '' }, ...(Array.isArray(allOf) ? (allOf as Json[]) : [])] };
};

export function isOnTrail(trail: Trail | null, target: string): boolean {
  for (let step = trail; step; step = step.parent) if (step.target === target) return true;
  return false;
}

const stepsMax = 10;

/**
 * Follows a chain of local references, and returns the object at its end, or the last reference that cannot be
 * followed; undefined if the result is not an object.
 */
export function resolveObject(document: Json, value: Json | undefined): JsonObject | undefined {
  for (let step = 0; step < stepsMax; step++) {
    if (!isJsonObject(value)) return undefined;
    const reference = memberOf(value, '$ref');
    const path = typeof reference === 'string' ? localPathOf(reference) : undefined;
    const target = path && valueAt(document, path);
    if (target === undefined) return value;
    value = target;
  }
  return undefined;
}
