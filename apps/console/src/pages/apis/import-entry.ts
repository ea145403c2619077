import type { Answered } from '../../api/call.ts';
import type { FileRead } from './documents/read-document.ts';

export type Plan = Answered<'POST /api/imports/plan'>;
export type Imported = Answered<'PUT /api/imports/'>;

/** How far a file has come. */
export type State =
  | { readonly kind: 'waiting' | 'reading' | 'comparing' | 'sending' }
  /** The service takes no more for a while; then it goes on by itself. */
  | { readonly kind: 'held'; readonly seconds: number }
  /** What importing it would do. */
  | {
      readonly kind: 'planned';
      readonly plan: Plan;
      /** Whether it would create an API of a name that another one has. */
      readonly nameTaken: boolean;
    }
  | { readonly kind: 'done'; readonly imported: Imported }
  | { readonly kind: 'skipped'; readonly because: 'ending' | 'other' }
  | { readonly kind: 'broken'; readonly read: FileRead & { readonly kind: 'broken' } }
  /** Another file here would change the same API. */
  | { readonly kind: 'twice'; readonly other: string }
  | { readonly kind: 'tooLarge'; readonly bytesMax: number }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'cancelled' };

export interface Entry {
  readonly number: number;
  readonly file: File;
  /** As it was dropped: with the folder, if it was one. */
  readonly path: string;
  readonly state: State;
  /** Known once it is read. */
  readonly document: { readonly title: string | null; readonly json: Blob } | null;
}

/** How a later import finds the API again. */
export interface Identity {
  readonly by: 'path' | 'title';
  /** Where the documents belong, such as their repository; as `portico import --source`. */
  readonly source: string;
}

/** In characters, as the service takes it. */
export const sourceMax = 400;

/**
 * The import key, as `portico import` makes it: with a source it begins with that, else with `file:` and the path from
 * the folder that was dropped, as with `--base`. Null for a lone file, whose path says nothing, and where titles count:
 * then the collection of exactly this name is updated.
 */
export const importKeyOf = ({ path }: Pick<Entry, 'path'>, { by, source }: Identity): string | null => {
  if (by === 'title') return null;
  if (source !== '') return `${source}:${path}`;
  return isInFolder(path) ? `file:${path}` : null;
};

export const isInFolder = (path: string): boolean => path.includes('/');

const isDocumentName = (path: string): boolean => /\.(json|ya?ml)$/i.test(path);

/** What is done with a file that was found in a folder, or named alone. */
export const stateOfNew = (path: string): State =>
  isDocumentName(path) ? { kind: 'waiting' } : { kind: 'skipped', because: 'ending' };

/** Folders of tools, which hold no documents of one's own. */
export const isLeftOut = (path: string): boolean => /(^|\/)(\.[^/]*|node_modules)(\/|$)/.test(path);

const failures: readonly State['kind'][] = ['broken', 'twice', 'tooLarge', 'failed', 'cancelled'];
export const hasFailed = ({ state }: Entry): boolean => failures.includes(state.kind);

const unfinished: readonly State['kind'][] = ['waiting', 'reading', 'comparing', 'sending', 'held'];
export const isUnderWay = ({ state }: Entry): boolean => unfinished.includes(state.kind);

/** Whether sending it changes something. */
export const isToImport = ({ state }: Entry): boolean => state.kind === 'planned' && state.plan.outcome !== 'unchanged';
