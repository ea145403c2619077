import { call } from '../../api/call.ts';
import { isProblem } from '../../api/problem.ts';
import { nameOf } from './documents/document-name.ts';
import { bodyWith, readFile } from './documents/reader.ts';
import {
  hasFailed,
  importKeyOf,
  isIgnored,
  isToImport,
  isInProgress,
  stateOfNew,
  type Entry,
  type Identity,
  type State,
} from './import-entry.ts';

export interface Dropped {
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
  #stop = new AbortController();
  #last = 0;
  /** The service's size limit, learned from the first 413, so that no other large file is sent in vain. */
  #bytesMax = Infinity;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): QueueState => this.#state;

  /** Adds files, and compares them with the catalog. */
  add(dropped: readonly Dropped[]): void {
    const added = dropped
      .filter(({ path }) => !isIgnored(path))
      .sort((one, other) => one.path.localeCompare(other.path))
      .map(({ file, path }): Entry => {
        return { number: ++this.#last, file, path, state: stateOfNew(path), document: null };
      });
    // Removes finished files, which would only hide the new ones.
    const entries = this.#state.entries.filter((entry) => isInProgress(entry) || isToImport(entry));
    this.#change({ entries: [...entries, ...added] });
    void this.#compare();
  }

  identify(identity: Identity): void {
    const entries = this.#state.entries.map((entry) =>
      ['planned', 'twice'].includes(entry.state.kind) ? { ...entry, state: { kind: 'waiting' } as const } : entry,
    );
    this.#change({ identity, entries });
    void this.#compare();
  }

  /** Sends the files that would change something. Resolves when all are done or cancelled. */
  async import(): Promise<void> {
    const entries = this.#state.entries.filter(isToImport);
    await this.#work('importing', entries, async (entry, signal) => {
      this.#set(entry, { kind: 'sending' });
      const { query, body } = this.#requestFor(entry);
      const imported = await call('PUT /api/imports/', { query, body, signal });
      this.#set(entry, { kind: 'done', imported });
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
    this.#stop.abort();
  }

  /** Removes all files, unless the import is running. */
  clear(): void {
    if (!this.#state.work) this.#change({ entries: [] });
  }

  async #compare(): Promise<void> {
    if (this.#state.work) return;
    const waiting = this.#state.entries.filter(({ state }) => state.kind === 'waiting');
    if (waiting.length === 0) return;
    await this.#work('comparing', waiting, async (entry, signal) => {
      const read = entry.document ? entry : await this.#read(entry);
      if (!read || signal.aborted) return;
      const other = this.#duplicateOf(read);
      if (other) return this.#set(entry, { kind: 'twice', other: other.path });
      this.#set(entry, { kind: 'comparing' });
      const { query, body } = this.#requestFor(read);
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
    if (read.kind === 'other') this.#set(entry, { kind: 'skipped', because: 'other' });
    if (read.kind === 'broken') this.#set(entry, { kind: 'broken', read });
    if (read.kind !== 'document') return null;
    return this.#patch(entry, { document: { title: read.title, json: read.json } });
  }

  /** Returns an earlier file that would change the same API. The later file waits until the user decides. */
  #duplicateOf(entry: Entry): Entry | undefined {
    const identity = this.#identityOf(entry);
    return this.#state.entries.find(
      (other) =>
        other.number < entry.number &&
        other.document !== null &&
        (isToImport(other) || isInProgress(other) || other.state.kind === 'planned') &&
        this.#identityOf(other) === identity,
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
    return { query, body: bodyWith({ name }, entry.document?.json ?? new Blob(['null'])) };
  }

  async #work(
    kind: 'comparing' | 'importing',
    entries: readonly Entry[],
    act: (entry: Entry, signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    this.#stop = new AbortController();
    const { signal } = this.#stop;
    this.#change({ work: { kind, numbers: new Set(entries.map(({ number }) => number)) } });
    const next = entries.values();
    const one = async (): Promise<void> => {
      for (const entry of next) {
        if (signal.aborted) this.#set(entry, { kind: 'cancelled' });
        else await this.#attempt(entry, signal, act);
      }
    };
    await Promise.all(Array.from({ length: concurrency }, one));
    this.#change({ work: null });
  }

  async #attempt(
    entry: Entry,
    signal: AbortSignal,
    act: (entry: Entry, signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    if (entry.file.size > this.#bytesMax) return this.#set(entry, { kind: 'tooLarge', bytesMax: this.#bytesMax });
    try {
      await act(entry, signal);
    } catch (error) {
      if (signal.aborted) return this.#set(entry, { kind: 'cancelled' });
      if (isProblem(error, 429)) {
        await this.#wait(entry, error.retryAfter ?? 60, signal);
        return signal.aborted ? this.#set(entry, { kind: 'cancelled' }) : this.#attempt(entry, signal, act);
      }
      const bytesMax = isProblem(error, 413) ? Number(/\d+/.exec(error.message)?.[0] ?? 0) : 0;
      if (bytesMax > 0) this.#bytesMax = bytesMax;
      this.#set(entry, bytesMax > 0 ? { kind: 'tooLarge', bytesMax } : { kind: 'failed', error });
    }
  }

  #wait(entry: Entry, seconds: number, signal: AbortSignal): Promise<void> {
    this.#set(entry, { kind: 'held', seconds });
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, seconds * 1_000);
      signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
    });
  }

  #set(entry: Entry, state: State): void {
    this.#patch(entry, { state });
  }

  #patch({ number }: Entry, part: Partial<Entry>): Entry | null {
    let patched: Entry | null = null;
    const entries = this.#state.entries.map((entry) =>
      entry.number === number ? (patched = { ...entry, ...part }) : entry,
    );
    this.#change({ entries });
    return patched;
  }

  #change(part: Partial<QueueState>): void {
    this.#state = { ...this.#state, ...part };
    this.#listeners.forEach((listener) => listener());
  }
}

export const importQueue = new ImportQueue();
