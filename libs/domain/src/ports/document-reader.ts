import type { Comparison } from '../changes/change.ts';
import type { Deadline } from '../deadline.ts';
import type { ExtraVersion } from '../documents/document-error.ts';
import type { DocumentWarning, PackedText, ReadDocument } from '../documents/document.ts';
import type { Operation } from '../documents/operation.ts';
import type { SecurityScheme } from '../documents/security-scheme.ts';
import type { Json } from '../json.ts';
import type { ServerSettings } from '../operations/call-settings.ts';

/** A JSON object, and the document in one of its members. */
export interface MemberRead {
  /** The object without the document's member. */
  readonly fields: { readonly [name: string]: Json };
  /** Null if that member is absent, null or a blank string. */
  readonly document: ReadDocument | null;
}

export interface ConvertedFile {
  readonly json: Uint8Array;
  readonly notices: readonly DocumentWarning[];
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
   * deadline has expired: a queued read leaves the queue, and a read in progress is dropped. Accepts the extra versions,
   * none by default: Swagger 2.0 is converted to OpenAPI 3.0, and OpenAPI 3.2 is read as 3.1.
   */
  readMember(
    object: Uint8Array,
    name: string,
    deadline: Deadline | null,
    extraVersions?: readonly ExtraVersion[],
  ): Promise<MemberRead>;

  /**
   * Reads a file as one document, JSON or YAML in UTF-8, UTF-16 or UTF-32, as its content shows; converts YAML to JSON.
   * Accepts all extra versions. The caller keeps ownership of the bytes. Throws a `DocumentFileError` for the reasons of
   * `readMember`.
   */
  readFile(content: Uint8Array): Promise<ReadDocument>;

  /**
   * Returns a file as JSON, as `readFile` does, whether or not it is a document, and warnings about values that JSON
   * cannot represent. Throws a `DocumentFileError`.
   */
  convertToJson(content: Uint8Array): Promise<ConvertedFile>;

  /**
   * Reads a stored document again, as `readFile` reads its text. The caller keeps ownership of the bytes. Throws
   * `invalid_body` for the reasons of `readMember`, and `timed_out` as it does.
   */
  readStored(document: PackedText, deadline: Deadline | null): Promise<ReadDocument>;

  /** Reads the operations of a stored document. The caller keeps ownership of the bytes. */
  readOperations(document: PackedText): Promise<readonly Operation[]>;

  /**
   * Reads the security schemes of a stored document (`readSecuritySchemes`). The caller keeps ownership of the bytes.
   * Throws `timed_out` as `readMember` does.
   */
  readSecuritySchemes(document: PackedText, deadline: Deadline | null): Promise<readonly SecurityScheme[]>;

  /**
   * Returns the origins of the addresses that calls of a stored document may go to with these settings (`originsOf`). The
   * caller keeps ownership of the bytes. Throws `timed_out` as `readMember` does.
   */
  readOrigins(document: PackedText, settings: ServerSettings, deadline: Deadline | null): Promise<readonly string[]>;

  /**
   * Converts a stored document to YAML, packed like the stored one. The caller keeps ownership of the bytes. Throws
   * `timed_out` as `readMember` does.
   */
  convertToYaml(document: PackedText, deadline: Deadline | null): Promise<PackedText>;

  /**
   * Compares two stored documents (`compareDocuments`). The caller keeps ownership of the bytes. Throws `invalid_body` if
   * they are too large to be compared within bounds, and `timed_out` as `readMember` does.
   */
  compare(before: PackedText, after: PackedText, deadline: Deadline | null): Promise<Comparison>;
}
