import { call } from '../../api/call.ts';
import { isProblem } from '../../api/problem.ts';
import { nameOf } from './documents/document-name.ts';
import { createBody, readFile } from './documents/reader.ts';
import {
  hasFailed,
  importKeyOf,
  isIgnored,
  needsImport,
  isInProgress,
  type Entry,
  type Identity,
  type State,
} from './import-entry.ts';

export interface DroppedFile {
  readonly file: File;
  readonly path: string;
}

export interface QueueState {
  readonly entries: readonly Entry[];
  readonly identity: Identity;
  /** The current work on the files; null while idle. */
  readonly work: { readonly kind: 'comparing' | 'importing'; readonly numbers: ReadonlySet<number> } | null;
}

/** The number of concurrent requests; it is small, because the service has other callers. */
const concurrency = 2;

const nameExists = async (name: string, signal: AbortSignal): Promise<boolean> =>
  (await call('GET /api/collections/', { query: { q: name, limit: 20 }, signal })).some((api) => api.name === name);

/** The files of an import, which continues while the user visits other pages of the console. */
class ImportQueue {
  #state: QueueState = { entries: [], identity: { by: 'path', source: '' }, work: null };
  #listeners = new Set<() => void>();
  #abortController = new AbortController();
  #lastNumber = 0;
  /** The service's size limit, learned from the first 413, so that no other large file is sent in vain. */
  #bytesMax = Infinity;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): QueueState => this.#state;

  /** Adds files, and compares them with the catalog. */
  add(files: readonly DroppedFile[]): void {
    const newEntries = files
      .filter(({ path }) => !isIgnored(path))
      .sort((a, b) => a.path.localeCompare(b.path))
      .map(({ file, path }): Entry => {
        return { number: ++this.#lastNumber, file, path, state: { kind: 'waiting' }, document: null };
      });
    // Removes finished files, which would only hide the new ones.
    const entries = this.#state.entries.filter((entry) => isInProgress(entry) || needsImport(entry));
    this.#change({ entries: [...entries, ...newEntries] });
    void this.#compare();
  }

  setIdentity(identity: Identity): void {
    const entries = this.#state.entries.map((entry) =>
      ['planned', 'duplicate'].includes(entry.state.kind) ? { ...entry, state: { kind: 'waiting' } as const } : entry,
    );
    this.#change({ identity, entries });
    void this.#compare();
  }

  /** Sends the files that would change something. Resolves when all are done or cancelled. */
  async import(): Promise<void> {
    const entries = this.#state.entries.filter(needsImport);
    await this.#runWork('importing', entries, async (entry, signal) => {
      this.#set(entry, { kind: 'sending' });
      const { query, body } = this.#requestFor(entry);
      const result = await call('PUT /api/imports/', { query, body, signal });
      this.#set(entry, { kind: 'done', result });
    });
  }

  /** Reads and compares failed files again. */
  retry(): void {
    const entries = this.#state.entries.map((entry): Entry =>
      hasFailed(entry) ? { ...entry, document: null, state: { kind: 'waiting' } } : entry,
    );
    this.#change({ entries });
    void this.#compare();
  }

  cancel(): void {
    this.#abortController.abort();
  }

  /** Removes all files, unless the import is running. */
  clear(): void {
    if (!this.#state.work) this.#change({ entries: [] });
  }

  async #compare(): Promise<void> {
    if (this.#state.work) return;
    const waitingEntries = this.#state.entries.filter(({ state }) => state.kind === 'waiting');
    if (waitingEntries.length === 0) return;
    await this.#runWork('comparing', waitingEntries, async (entry, signal) => {
      const loadedEntry = entry.document ? entry : await this.#read(entry);
      if (!loadedEntry || signal.aborted) return;
      const duplicate = this.#duplicateOf(loadedEntry);
      if (duplicate) return this.#set(entry, { kind: 'duplicate', otherPath: duplicate.path });
      this.#set(entry, { kind: 'comparing' });
      const { query, body } = this.#requestFor(loadedEntry);
      const plan = await call('POST /api/imports/plan', { query, body, signal });
      const isNameTaken = plan.outcome === 'created' && (await nameExists(plan.name, signal));
      this.#set(entry, { kind: 'planned', plan, nameExists: isNameTaken });
    });
    // Compares the files that were dropped in the meantime.
    await this.#compare();
  }

  /** Returns null if the file is not a document. */
  async #read(entry: Entry): Promise<Entry | null> {
    this.#set(entry, { kind: 'reading' });
    const read = await readFile(entry.file);
    if (read.kind === 'other') this.#set(entry, { kind: 'skipped' });
    if (read.kind === 'broken') this.#set(entry, { kind: 'broken', read });
    if (read.kind !== 'document') return null;
    return this.#patch(entry, { document: read });
  }

  /** Returns an earlier file that would change the same API. The later file waits until the user decides. */
  #duplicateOf(entry: Entry): Entry | undefined {
    const identity = this.#identityOf(entry);
    return this.#state.entries.find(
      (candidate) =>
        candidate.number < entry.number &&
        candidate.document !== null &&
        (needsImport(candidate) || isInProgress(candidate) || candidate.state.kind === 'planned') &&
        this.#identityOf(candidate) === identity,
    );
  }

  #identityOf(entry: Entry): string {
    const key = importKeyOf(entry, this.#state.identity);
    return key === null ? `name ${nameOf(entry.document?.title ?? null, entry.path)}` : `key ${key}`;
  }

  #requestFor(entry: Entry) {
    const importKey = importKeyOf(entry, this.#state.identity);
    const name = nameOf(entry.document?.title ?? null, entry.path);
    const query = importKey === null ? {} : { import_key: importKey };
    return { query, body: createBody({ name }, entry.document?.json ?? new Blob(['null'])) };
  }

  async #runWork(
    kind: 'comparing' | 'importing',
    entries: readonly Entry[],
    process: (entry: Entry, signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    this.#abortController = new AbortController();
    const { signal } = this.#abortController;
    this.#change({ work: { kind, numbers: new Set(entries.map(({ number }) => number)) } });
    const remainingEntries = entries.values();
    const runWorker = async (): Promise<void> => {
      for (const entry of remainingEntries) {
        if (signal.aborted) this.#set(entry, { kind: 'cancelled' });
        else await this.#attempt(entry, signal, process);
      }
    };
    await Promise.all(Array.from({ length: concurrency }, runWorker));
    this.#change({ work: null });
  }

  async #attempt(
    entry: Entry,
    signal: AbortSignal,
    process: (entry: Entry, signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    if (entry.file.size > this.#bytesMax) return this.#set(entry, { kind: 'tooLarge', bytesMax: this.#bytesMax });
    try {
      await process(entry, signal);
    } catch (error) {
      if (signal.aborted) return this.#set(entry, { kind: 'cancelled' });
      if (isProblem(error, 429)) {
        await this.#wait(entry, error.retryAfter ?? 60, signal);
        return signal.aborted ? this.#set(entry, { kind: 'cancelled' }) : this.#attempt(entry, signal, process);
      }
      const bytesMax = isProblem(error, 413) ? Number(/\d+/.exec(error.message)?.[0] ?? 0) : 0;
      if (bytesMax > 0) this.#bytesMax = bytesMax;
      this.#set(entry, bytesMax > 0 ? { kind: 'tooLarge', bytesMax } : { kind: 'failed', error });
    }
  }

  #wait(entry: Entry, seconds: number, signal: AbortSignal): Promise<void> {
    this.#set(entry, { kind: 'rateLimited', seconds });
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, seconds * 1_000);
      signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
    });
  }

  #set(entry: Entry, state: State): void {
    this.#patch(entry, { state });
  }

  #patch({ number }: Entry, changes: Partial<Entry>): Entry | null {
    let patchedEntry: Entry | null = null;
    const entries = this.#state.entries.map((entry) =>
      entry.number === number ? (patchedEntry = { ...entry, ...changes }) : entry,
    );
    this.#change({ entries });
    return patchedEntry;
  }

  #change(changes: Partial<QueueState>): void {
    this.#state = { ...this.#state, ...changes };
    this.#listeners.forEach((listener) => listener());
  }
}

export const importQueue = new ImportQueue();
