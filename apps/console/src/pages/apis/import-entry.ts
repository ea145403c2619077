import type { CallResult } from '../../api/call.ts';
import type { FileRead } from './documents/read-document.ts';

export type Plan = CallResult<'POST /api/imports/plan'>;
export type ImportResult = CallResult<'PUT /api/imports/'>;

/** The state of a file in the import. */
export type State =
  | { readonly kind: 'waiting' | 'reading' | 'comparing' | 'sending' }
  /** The rate limit is exceeded; the import continues automatically after this time. */
  | { readonly kind: 'rateLimited'; readonly seconds: number }
  /** The effect that importing the file would have. */
  | {
      readonly kind: 'planned';
      readonly plan: Plan;
      /** Whether the import would create an API with the same name as an existing one. */
      readonly nameExists: boolean;
    }
  | { readonly kind: 'done'; readonly result: ImportResult }
  | { readonly kind: 'skipped' }
  | { readonly kind: 'broken'; readonly read: FileRead & { readonly kind: 'broken' } }
  /** Another file in this import would change the same API. */
  | { readonly kind: 'duplicate'; readonly otherPath: string }
  | { readonly kind: 'tooLarge'; readonly bytesMax: number }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'cancelled' };

export interface Entry {
  readonly number: number;
  readonly file: File;
  /** The path as dropped, including the folder if there is one. */
  readonly path: string;
  readonly state: State;
  /** The document in the file; null until the file has been read. */
  readonly document: Omit<FileRead & { readonly kind: 'document' }, 'kind'> | null;
}

/** How a later import matches the API. */
export interface Identity {
  readonly by: 'path' | 'title';
  /** The origin of the documents, such as their repository; the same as `portico import --source`. */
  readonly source: string;
}

/** The maximum length of a source that the service accepts, in characters. */
export const sourceMax = 400;

/**
 * Returns the same import key that `portico import` creates: the source and the path, or `file:` and the path from the
 * dropped folder, as with `--base`. Returns null for a single file, whose path is meaningless, and if files are matched
 * by title. Without a key, the collection with exactly the same name is updated.
 */
export const importKeyOf = ({ path }: Pick<Entry, 'path'>, { by, source }: Identity): string | null => {
  if (by === 'title') return null;
  if (source !== '') return `${source}:${path}`;
  return isInFolder(path) ? `file:${path}` : null;
};

export const isInFolder = (path: string): boolean => path.includes('/');

/** Returns whether a path is in a folder that belongs to a tool and contains none of the user's documents. */
export const isIgnored = (path: string): boolean => /(^|\/)(\.[^/]*|node_modules)(\/|$)/.test(path);

const failedKinds: readonly State['kind'][] = ['broken', 'duplicate', 'tooLarge', 'failed', 'cancelled'];
export const hasFailed = ({ state }: Entry): boolean => failedKinds.includes(state.kind);

const unfinishedKinds: readonly State['kind'][] = ['waiting', 'reading', 'comparing', 'sending', 'rateLimited'];
export const isInProgress = ({ state }: Entry): boolean => unfinishedKinds.includes(state.kind);

/** Returns whether importing the file would change something. */
export const needsImport = ({ state }: Entry): boolean =>
  state.kind === 'planned' && state.plan.outcome !== 'unchanged';
