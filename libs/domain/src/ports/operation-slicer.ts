import type { Deadline } from '../deadline.ts';
import type { PackedText } from '../documents/document.ts';
import type { SliceOptions } from '../operations/operation-slice.ts';
import type { Preparation } from '../operations/prepare-request.ts';
import type { OperationContext } from '../operations/request-description.ts';

/** A reference to a stored document. */
export interface StoredDocument {
  /** The SHA-256 of the document's text, in hexadecimal. */
  readonly digest: string;
  /** Reads the packed text; called only if the document is not cached. */
  load(): Promise<PackedText>;
}

/** `tool`: a function tool for language models. `openapi`: an OpenAPI document with only this operation. */
export type OperationForm = 'slice' | 'tool' | 'openapi';

/** An operation of a stored document. */
export interface LocatedOperation {
  /** In upper case. */
  readonly method: string;
  readonly path: string;
  readonly context: OperationContext;
}

export interface SliceRequest extends SliceOptions, LocatedOperation {
  readonly form: OperationForm;
}

export interface PreparationRequest extends LocatedOperation {
  /** A JSON object, as text, so that all digits of its numbers are kept. */
  readonly argumentsText: string;
}

/** Extracts single operations from stored documents, off the main thread. */
export interface OperationSlicer {
  /**
   * Returns the JSON text in UTF-8: at most `maxBytes`, except for `openapi`. Concurrent requests for a document that
   * is not cached load it once; if it cannot be loaded, the next request tries again. Throws `operation_not_found` if
   * the document has no such operation, `timed_out` once the deadline has expired, and `internal` if too many requests
   * are waiting.
   */
  slice(document: StoredDocument, request: SliceRequest, deadline: Deadline | null): Promise<Uint8Array>;

  /** Returns the request that `prepareRequest` makes of the arguments, or the errors in them. Throws like `slice`. */
  prepare(document: StoredDocument, request: PreparationRequest, deadline: Deadline | null): Promise<Preparation>;
}
