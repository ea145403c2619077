import type { AuthenticationScheme } from '../collections/collection.ts';
import type { Operation } from './operation.ts';

/**
 * A document's text, packed for storage and for sending: a raw DEFLATE stream (RFC 1951) that ends at a byte boundary
 * by a sync flush and has no final block, so that more blocks can follow it.
 */
export interface PackedText {
  readonly deflated: Uint8Array;
  /** CRC-32 of the text (RFC 1952), an unsigned 32-bit integer. */
  readonly crc32: number;
  /** Length of the text in UTF-8, in bytes. */
  readonly bytes: number;
}

export interface DocumentWarning {
  /** JSON Pointer (RFC 6901) into the document. */
  readonly pointer: string;
  readonly message: string;
}

/** An accepted OpenAPI document (specification, section 4), and what `documentFacts` finds in it. */
export interface ReadDocument extends Omit<DocumentFacts, 'violations'> {
  readonly packed: PackedText;
  /** SHA-256 of the text, in hexadecimal. */
  readonly digest: string;
  /** In the document's order. */
  readonly operations: readonly Operation[];
  /**
   * What the document says but cannot be kept, then violations of the official JSON Schema: at most 20 in full;
   * counting stops at 10,000.
   */
  readonly warnings: { readonly total: number; readonly first: readonly DocumentWarning[] };
}

/** What is kept of a document besides its text. Each fact is small, however large the document is. */
export interface DocumentFacts {
  /** `info.title`, as a name for a collection; null if it is absent or nothing of it can be kept. */
  readonly title: string | null;
  /** `info.description`, as a description of a collection; null if it is absent or no string. */
  readonly description: string | null;
  /** A description made of the document's other words; `''` if it has a description, or says nothing. */
  readonly derivedDescription: string;
  readonly baseUrl: string;
  readonly authentication: AuthenticationScheme;
  /** What the document says but cannot be kept. */
  readonly violations: readonly SchemaViolation[];
}

/** One fact, and why it departs from the document, if it does. */
export interface DerivedFact<T> {
  readonly value: T;
  readonly violation?: SchemaViolation;
}

/** Returns the name that comes first in the text of the object at that place. */
export type FirstName = (path: DocumentPath) => string | undefined;

/** Member names and list indexes, from the outermost object on. */
export type DocumentPath = readonly (string | number)[];

/** Something to warn of, and its place. */
export interface SchemaViolation {
  readonly path: DocumentPath;
  readonly message: string;
}
