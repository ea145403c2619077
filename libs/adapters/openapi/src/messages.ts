import type { ReadDocument } from '@portico/domain';
import type { BodyRead } from './read-body.ts';

/** A text to be read, as it is given to a worker. Its bytes are moved, not copied. */
export type Order =
  | { readonly what: 'body'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly what: 'json' | 'yaml'; readonly bytes: Uint8Array<ArrayBuffer> };

/** What a worker answers to an order: what it read, why the text is refused, or a failure of its own. */
export type Answer =
  | { readonly body: BodyRead }
  | { readonly file: ReadDocument }
  | { readonly refused: string }
  | { readonly failed: Error };
