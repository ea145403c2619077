import type { PackedText, SliceRequest } from '@portico/domain';

/** What the slicing thread is told: to cut an operation out of a document, or to keep a document from now on. */
export type SliceOrder =
  | { readonly what: 'slice'; readonly digest: string; readonly request: SliceRequest }
  | { readonly what: 'keep'; readonly digest: string; readonly text: PackedText };

/** What it returns. `unknown`: the document is not at hand. `absent`: it has no such operation. */
export type SliceOutcome =
  | { readonly slice: Uint8Array<ArrayBuffer> }
  | { readonly kept: true }
  | { readonly unknown: true }
  | { readonly absent: true }
  | { readonly failed: Error };
