import { createHash } from 'node:crypto';
import { compareDocuments, type Comparison, type Json, type OperationKey } from '@portico/domain';
import { parse } from 'yaml';

/** Parses a document in YAML or JSON. */
export const parseDocument = (text: string): Json => parse(text) as Json;

/** Compares two parsed documents in this thread. */
export const compare = (before: Json, after: Json): Comparison =>
  compareDocuments(before, after, {
    keyOf: (method, path) => `${method} ${path}` as OperationKey,
    digestOf: (text) => createHash('sha256').update(text).digest('hex'),
  });
