import type { Deadline } from '../deadline.ts';
import type { PackedText, ReadDocument } from '../documents/document.ts';
import type { Operation } from '../documents/operation.ts';
import type { SecurityScheme } from '../documents/security-scheme.ts';
import type { Json } from '../json.ts';

/** A JSON object, and the document in one of its members. */
export interface MemberRead {
  /** The object without the document's member. */
  readonly fields: { readonly [name: string]: Json };
  /** Null if that member is absent, null or a blank string. */
  readonly document: ReadDocument | null;
}

/**
 * Reads OpenAPI documents off the main thread. Does not resolve or fetch references to other documents. Callers of the
 * use cases read a document first and pass them the result.
 */
export interface DocumentReader {
  /**
   * Reads a JSON object whose member `name` is a document. Takes ownership of the bytes. Throws `invalid_body`, which
   * names the problem and its position, for invalid UTF-8 or JSON, a value that is not an object, nesting deeper than
   * 100 levels, an unacceptable document, or a document with too many values to read within bounds; and, outside the
   * document, for members that could pollute a prototype, U+0000 and lone surrogates. Throws `timed_out` once the
   * deadline has expired: a queued read leaves the queue, and a read in progress is dropped.
   */
  readMember(object: Uint8Array, name: string, deadline: Deadline | null): Promise<MemberRead>;

  /**
   * Reads a file as one document; converts YAML to JSON. The caller keeps ownership of the bytes. Throws as
   * `readMember` does.
   */
  readFile(content: Uint8Array, format: 'json' | 'yaml'): Promise<ReadDocument>;

  /** Reads the operations of a stored document. The caller keeps ownership of the bytes. */
  readOperations(document: PackedText): Promise<readonly Operation[]>;

  /**
   * Reads the security schemes of a stored document (`readSecuritySchemes`). The caller keeps ownership of the bytes.
   * Throws `timed_out` as `readMember` does.
   */
  readSecuritySchemes(document: PackedText, deadline: Deadline | null): Promise<readonly SecurityScheme[]>;

  /**
   * Converts a stored document to YAML, packed like the stored one. The caller keeps ownership of the bytes. Throws
   * `timed_out` as `readMember` does.
   */
  convertToYaml(document: PackedText, deadline: Deadline | null): Promise<PackedText>;
}
