import type { AuthenticationScheme, OriginalDocument } from '../collections/collection.ts';
import type { Operation } from './operation.ts';

/**
 * A document's text, compressed for storage and transfer: a raw DEFLATE stream (RFC 1951) that ends at a byte boundary
 * with a sync flush and has no final block, so that more blocks can follow it.
 */
export interface PackedText {
  readonly deflated: Uint8Array;
  /** CRC-32 of the text (RFC 1952), an unsigned 32-bit integer. */
  readonly crc32: number;
  /** The length of the text in UTF-8, in bytes. */
  readonly bytes: number;
}

export interface DocumentWarning {
  /** A JSON Pointer (RFC 6901) into the document. */
  readonly pointer: string;
  readonly message: string;
}

/** An accepted OpenAPI document (specification, section 4), with the result of `extractDocumentMetadata`. */
export interface ReadDocument extends Omit<DocumentMetadata, 'violations'> {
  readonly packed: PackedText;
  /** SHA-256 of the text, in hexadecimal. */
  readonly digest: string;
  /** In the document's order. */
  readonly operations: readonly Operation[];
  /** Whether references lead out of the document. */
  readonly hasExternalReferences: boolean;
  /** The document as sent, if it is read as a different version; null otherwise. */
  readonly original: ReadOriginal | null;
  /**
   * Warnings about values and parts that are lost or not understood, and about an unusable base URL: at most 20. The
   * document may conform to the official schema.
   */
  readonly notices: readonly DocumentWarning[];
  /**
   * Warnings about content that cannot be stored, then about violations of the official JSON Schema: at most 20 in
   * full; counting stops at 10,000.
   */
  readonly warnings: { readonly total: number; readonly first: readonly DocumentWarning[] };
}

export interface ReadOriginal extends OriginalDocument {
  /** The text as sent, if it was converted; null if it is stored as sent. */
  readonly packed: PackedText | null;
}

/** The metadata stored about a document besides its text. Each value is small, regardless of the size of the document. */
export interface DocumentMetadata {
  /** `info.title`, as a name for a collection; null if it is absent or has no usable characters. */
  readonly title: string | null;
  /** `info.description`, as a description of a collection; null if it is absent or not a string. */
  readonly description: string | null;
  /**
   * A description derived from the document's other text; `''` if the document has a description, or has no such text.
   */
  readonly derivedDescription: string;
  readonly baseUrl: string;
  readonly authentication: AuthenticationScheme;
  /** Content of the document that cannot be stored. */
  readonly violations: readonly SchemaViolation[];
}

/** A value derived from a document, and the reason if it differs from the document. */
export interface DerivedValue<T> {
  readonly value: T;
  readonly violation?: SchemaViolation;
}

/** Returns the name of the first member of the object at that path, in the order of the text. */
export type FirstMemberName = (path: DocumentPath) => string | undefined;

/** Member names and array indexes, starting at the root. */
export type DocumentPath = readonly (string | number)[];

/** A warning and its position. */
export interface SchemaViolation {
  readonly path: DocumentPath;
  readonly message: string;
}
