import type { PackedText, PreparationRequest, Preparation, SliceRequest } from '@portico/domain';

/** A task for the slicing thread: slicing an operation out of a document, preparing its request, or loading a document into the cache. */
export type SliceTask =
  | { readonly kind: 'slice'; readonly digest: string; readonly request: SliceRequest }
  | { readonly kind: 'prepare'; readonly digest: string; readonly request: PreparationRequest }
  | { readonly kind: 'load'; readonly digest: string; readonly text: PackedText };

/** The result of a task. `unknown`: the document is not in the cache. `absent`: the document has no such operation. */
export type SliceResult =
  | { readonly slice: Uint8Array<ArrayBuffer> }
  | { readonly preparation: Preparation }
  | { readonly loaded: true }
  | { readonly unknown: true }
  | { readonly absent: true }
  | { readonly failed: Error };
