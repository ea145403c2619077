import { call } from '../../api/call.ts';
import { isProblem } from '../../api/problem.ts';
import { nameOf } from './documents/document-name.ts';
import { bodyWith, readFile } from './documents/reader.ts';
import {
  hasFailed,
  importKeyOf,
  isLeftOut,
  isToImport,
  isUnderWay,
  stateOfNew,
  type Entry,
  type Identity,
  type State,
} from './import-entry.ts';

export interface Dropped {
  readonly file: File;
  readonly path: string;
}

export interface Standing {
  readonly entries: readonly Entry[];
  readonly identity: Identity;
  /** What is being done to the files; null while nothing is. */
  readonly work: { readonly what: 'comparing' | 'importing'; readonly numbers: ReadonlySet<number> } | null;
}

/** So many are on their way at once: the service has other callers. */
const atOnce = 2;

const isTaken = async (name: string, signal: AbortSignal): Promise<boolean> =>
  (await call('GET /api/collections/', { query: { q: name, limit: 20 }, signal })).some((api) => api.name === name);

/** The files of an import, which goes on while another page of the console is looked at. */
class ImportQueue {
  #standing: Standing = { entries: [], identity: { by: 'path', source: '' }, work: null };
  #listeners = new Set<() => void>();
  #stop = new AbortController();
  #last = 0;
  /** Learnt from the first refusal, so that no further large file is sent in vain. */
  #bytesMax = Infinity;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly standing = (): Standing => this.#standing;

  /** Takes files, and finds out what importing them would do. */
  add(dropped: readonly Dropped[]): void {
    const added = dropped
      .filter(({ path }) => !isLeftOut(path))
      .sort((one, other) => one.path.localeCompare(other.path))
      .map(({ file, path }): Entry => {
        return { number: ++this.#last, file, path, state: stateOfNew(path), document: null };
      });
    // What was dealt with before would only hide what comes now.
    const kept = this.#standing.entries.filter((entry) => isUnderWay(entry) || isToImport(entry));
    this.#change({ entries: [...kept, ...added] });
    void this.#compare();
  }

  identify(identity: Identity): void {
    const entries = this.#standing.entries.map((entry) =>
      ['planned', 'twice'].includes(entry.state.kind) ? { ...entry, state: { kind: 'waiting' } as const } : entry,
    );
    this.#change({ identity, entries });
    void this.#compare();
  }

  /** Sends what would change something; resolves when all is done or cancelled. */
  async import(): Promise<void> {
    const wanted = this.#standing.entries.filter(isToImport);
    await this.#work('importing', wanted, async (entry, signal) => {
      this.#set(entry, { kind: 'sending' });
      const { query, body } = this.#sent(entry);
      const imported = await call('PUT /api/imports/', { query, body, signal });
      this.#set(entry, { kind: 'done', imported });
    });
  }

  /** Reads and compares anew whatever failed. */
  retry(): void {
    const entries = this.#standing.entries.map((entry): Entry =>
      hasFailed(entry) ? { ...entry, document: null, state: { kind: 'waiting' } } : entry,
    );
    this.#change({ entries });
    void this.#compare();
  }

  cancel(): void {
    this.#stop.abort();
  }

  /** Forgets all files, as far as nothing is done to them. */
  clear(): void {
    if (!this.#standing.work) this.#change({ entries: [] });
  }

  async #compare(): Promise<void> {
    if (this.#standing.work) return;
    const waiting = this.#standing.entries.filter(({ state }) => state.kind === 'waiting');
    if (waiting.length === 0) return;
    await this.#work('comparing', waiting, async (entry, signal) => {
      const read = entry.document ? entry : await this.#read(entry);
      if (!read || signal.aborted) return;
      const other = this.#rivalOf(read);
      if (other) return this.#set(entry, { kind: 'twice', other: other.path });
      this.#set(entry, { kind: 'comparing' });
      const { query, body } = this.#sent(read);
      const plan = await call('POST /api/imports/plan', { query, body, signal });
      const nameTaken = plan.outcome === 'created' && (await isTaken(plan.name, signal));
      this.#set(entry, { kind: 'planned', plan, nameTaken });
    });
    // What was dropped meanwhile.
    await this.#compare();
  }

  /** Null if the file is no document. */
  async #read(entry: Entry): Promise<Entry | null> {
    this.#set(entry, { kind: 'reading' });
    const read = await readFile(entry.file);
    if (read.kind === 'other') this.#set(entry, { kind: 'skipped', because: 'other' });
    if (read.kind === 'broken') this.#set(entry, { kind: 'broken', read });
    if (read.kind !== 'document') return null;
    return this.#patch(entry, { document: { title: read.title, json: read.json } });
  }

  /** The file that would change the same API: of two, the second waits until one says how they differ. */
  #rivalOf(entry: Entry): Entry | undefined {
    const identity = this.#identityOf(entry);
    return this.#standing.entries.find(
      (other) =>
        other.number < entry.number &&
        other.document !== null &&
        (isToImport(other) || isUnderWay(other) || other.state.kind === 'planned') &&
        this.#identityOf(other) === identity,
    );
  }

  #identityOf(entry: Entry): string {
    const key = importKeyOf(entry, this.#standing.identity);
    return key === null ? `name ${nameOf(entry.document?.title ?? null, entry.path)}` : `key ${key}`;
  }

  #sent(entry: Entry) {
    const importKey = importKeyOf(entry, this.#standing.identity);
    const name = nameOf(entry.document?.title ?? null, entry.path);
    const query = importKey === null ? {} : { import_key: importKey };
    return { query, body: bodyWith({ name }, entry.document?.json ?? new Blob(['null'])) };
  }

  async #work(
    what: 'comparing' | 'importing',
    entries: readonly Entry[],
    act: (entry: Entry, signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    this.#stop = new AbortController();
    const { signal } = this.#stop;
    this.#change({ work: { what, numbers: new Set(entries.map(({ number }) => number)) } });
    const next = entries.values();
    const one = async (): Promise<void> => {
      for (const entry of next) {
        if (signal.aborted) this.#set(entry, { kind: 'cancelled' });
        else await this.#attempt(entry, signal, act);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, one));
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
        await this.#hold(entry, error.retryAfter ?? 60, signal);
        return signal.aborted ? this.#set(entry, { kind: 'cancelled' }) : this.#attempt(entry, signal, act);
      }
      const bytesMax = isProblem(error, 413) ? Number(/\d+/.exec(error.message)?.[0] ?? 0) : 0;
      if (bytesMax > 0) this.#bytesMax = bytesMax;
      this.#set(entry, bytesMax > 0 ? { kind: 'tooLarge', bytesMax } : { kind: 'failed', error });
    }
  }

  #hold(entry: Entry, seconds: number, signal: AbortSignal): Promise<void> {
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
    const entries = this.#standing.entries.map((entry) =>
      entry.number === number ? (patched = { ...entry, ...part }) : entry,
    );
    this.#change({ entries });
    return patched;
  }

  #change(part: Partial<Standing>): void {
    this.#standing = { ...this.#standing, ...part };
    this.#listeners.forEach((listener) => listener());
  }
}

export const importQueue = new ImportQueue();
