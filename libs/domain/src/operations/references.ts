import { localPath, memberOf, valueAt } from '../documents/document-value.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { constrains, type Dialect } from './schema-keywords.ts';

/** The references that lead to a schema, the last one first, so that a circle is seen. */
export interface Trail {
  readonly target: string;
  readonly up: Trail | null;
}

export interface Resolved {
  /** `true` and `false` are schemas too; anything else that is no object says nothing. */
  readonly schema: JsonObject | boolean;
  readonly trail: Trail | null;
  /** Whether it is a reference back to a schema that it is part of. */
  readonly circular: boolean;
}

/** A parsed document, and how its schemas are read. */
export interface Source {
  readonly document: Json;
  readonly dialect: Dialect;
}

export const sourceOf = (document: Json): Source => {
  const version = memberOf(document, 'openapi');
  return { document, dialect: typeof version === 'string' && version.startsWith('3.0') ? '3.0' : '3.1' };
};

/**
 * The schema that a chain of local references leads to. A reference that leads nowhere, out of the document or back is
 * returned as it is. In OpenAPI 3.1 what stands beside a reference holds too; in 3.0 it says nothing.
 */
export function resolved({ document, dialect }: Source, value: Json | undefined, trail: Trail | null): Resolved {
  let beside: JsonObject = {};
  for (;;) {
    if (!isJsonObject(value)) return { schema: value !== false, trail, circular: false };
    const reference = memberOf(value, '$ref');
    if (typeof reference !== 'string') return { schema: { ...value, ...beside }, trail, circular: false };
    const path = localPath(reference);
    const target = path && valueAt(document, path);
    if (path === undefined || target === undefined) return { schema: { $ref: reference }, trail, circular: false };
    const name = path.join('/');
    if (includes(trail, name)) return { schema: { $ref: reference }, trail, circular: true };
    if (dialect !== '3.0') {
      const { $ref, ...others } = value;
      if (Object.keys(others).some(constrains))
        return { schema: combined(others, $ref, beside), trail, circular: false };
      beside = { ...others, ...beside };
    }
    trail = { target: name, up: trail };
    value = target;
  }
}

const combined = (others: JsonObject, $ref: Json | undefined, beside: JsonObject): JsonObject => {
  const all = memberOf(others, 'allOf');
  return { ...others, ...beside, allOf: [{ $ref: $ref ?? '' }, ...(Array.isArray(all) ? (all as Json[]) : [])] };
};

function includes(trail: Trail | null, target: string): boolean {
  for (let at = trail; at; at = at.up) if (at.target === target) return true;
  return false;
}

const stepsMax = 10;

/** The object that a chain of local references leads to, or the last reference of it; undefined if it is no object. */
export function followedObject(document: Json, value: Json | undefined): JsonObject | undefined {
  for (let step = 0; step < stepsMax; step++) {
    if (!isJsonObject(value)) return undefined;
    const reference = memberOf(value, '$ref');
    const path = typeof reference === 'string' ? localPath(reference) : undefined;
    const target = path && valueAt(document, path);
    if (target === undefined) return value;
    value = target;
  }
  return undefined;
}
