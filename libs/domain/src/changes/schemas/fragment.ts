import type { Json } from '../../json.ts';

/** One schema object of a document, without references and `allOf`, in the keywords of JSON Schema 2020-12. */
export interface Fragment {
  /** Identifies the fragment in its space. */
  readonly id: number;
  readonly keywords: ReadonlyMap<string, Json>;
  /** Whether the schema is `false`, which accepts nothing. */
  readonly isNever: boolean;
  /** Whether it has a part that cannot be read: a reference without a target, or a dynamic one. */
  readonly isOpaque: boolean;
  readonly allOf: readonly Json[];
}
