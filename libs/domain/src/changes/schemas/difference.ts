import type { Json } from '../../json.ts';
import type { SchemaNode } from './schema-space.ts';

/** A difference between two schemas at one position, without those of their members and items. */
export interface Difference {
  /** The keyword, or a name that is none, such as `member of wide`. */
  readonly keyword: string;
  /** Its subject: a name, a value as JSON, or a pattern; null if the keyword suffices. */
  readonly subject: string | null;
  /**
   * Whether the wide set may reject values of the narrow one (`tightened`), the narrow one rejects values of the wide
   * one (`loosened`), or neither (`noted`).
   */
  readonly effect: 'tightened' | 'loosened' | 'noted';
  /** Whether the effect is excepted: callers are taken not to be affected. */
  readonly isExcepted: boolean;
  /** Returns values of the narrow set that may be outside of the wide one. */
  readonly candidates: () => readonly Json[];
}

/** How to get from a value to a part of it. */
export type Step =
  | { readonly kind: 'member'; readonly name: string }
  | { readonly kind: 'matching member'; readonly pattern: string }
  | { readonly kind: 'other member' }
  | { readonly kind: 'item'; readonly index: number }
  | { readonly kind: 'items' }
  /** The same value, by another schema: an alternative. */
  | { readonly kind: 'alternative' };

export interface Child {
  readonly step: Step;
  readonly pair: SchemaPair;
}

/** The schemas of two documents at one position. */
export interface SchemaPair {
  readonly narrow: SchemaNode;
  readonly wide: SchemaNode;
  readonly differences: readonly Difference[];
  readonly children: readonly Child[];
}

/** Returns a step as a segment of a JSON Pointer, with `*` for any item or other member. */
export const segmentOf = (step: Step): string => {
  switch (step.kind) {
    case 'member':
      return `/${step.name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    case 'matching member':
      return `/{${step.pattern}}`;
    case 'item':
      return `/${step.index}`;
    case 'items':
    case 'other member':
      return '/*';
    case 'alternative':
      return '';
  }
};
