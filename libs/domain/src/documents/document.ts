import type { AuthenticationScheme } from '../collections/collection.ts';

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

/** An OpenAPI document that was found acceptable (specification, section 4), and what `documentFacts` finds in it. */
export interface ReadDocument extends Omit<DocumentFacts, 'violations'> {
  readonly packed: PackedText;
  /** SHA-256 of the text, in hexadecimal. */
  readonly digest: string;
  /**
   * What the document says and cannot be kept, then violations of the official JSON Schema: at most 20 in full; counting them
   * stops at 10,000.
   */
  readonly warnings: { readonly total: number; readonly first: readonly DocumentWarning[] };
}

/** What is kept of a document beside its text. Each is small, however large the document is. */
export interface DocumentFacts {
  /** `info.title` as far as it can name a collection; null where there is no such text. */
  readonly title: string | null;
  /** `info.description` as far as it can describe a collection; null where it is absent or no string. */
  readonly description: string | null;
  readonly baseUrl: string;
  readonly authentication: AuthenticationScheme;
  /** What the document says and cannot be kept. */
  readonly violations: readonly SchemaViolation[];
}

/** One fact, and what kept it from being what the document says. */
export interface DerivedFact<T> {
  readonly value: T;
  readonly violation?: SchemaViolation;
}

/** The name that stands first in the text of the object at that place. */
export type FirstName = (path: DocumentPath) => string | undefined;

/** Names of members and places in lists, from the outermost object on. */
export type DocumentPath = readonly (string | number)[];

/** What there is to warn of, by its place. */
export interface SchemaViolation {
  readonly path: DocumentPath;
  readonly message: string;
}
