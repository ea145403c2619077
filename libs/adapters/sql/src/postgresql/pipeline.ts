import { tick } from '@portico/dependencies';
import type { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import { withoutValues } from './database-error.ts';
import { type Backend, OutcomeUnknown, readBackend } from './lost-commit.ts';
import type { BoundStatement, NamedStatement } from './statements.ts';
import {
  errorOf,
  executeMessages,
  layoutOf,
  messageCodes,
  messageLength,
  messageStart,
  prepareMessages,
  rowOf,
  type RowLayout,
  syncMessage,
  terminateMessage,
} from './wire.ts';

export interface PipelineOptions {
  /** Makes a client that is not connected yet. Its socket is used without it once it is. */
  readonly connect: () => Client;
  /** How many connections, each opened when it is first needed. */
  readonly connections: number;
  /** How long a statement may take, in milliseconds, connecting included. Then its connection is discarded. */
  readonly answerMs: number;
}

/**
 * Connections for statements that the server executes in microseconds. A connection carries many of them at once: each is
 * sent without waiting for the answers to earlier ones, and those of one turn of the event loop leave together. The server
 * executes them in order, and answers the reads of a turn at once. Each sees what was committed before it, and one that
 * fails does not affect the others. All that are under way fail when their connection is lost, or when the oldest takes
 * too long; the next one opens another.
 */
export class Pipelines {
  readonly #options: PipelineOptions;
  readonly #places: Place[];
  #isClosed = false;

  constructor(options: PipelineOptions) {
    this.#options = options;
    this.#places = Array.from({ length: options.connections }, () => ({ session: null, opening: null, waiting: 0 }));
  }

  /** Reads the first row. A read that has waited elsewhere may be given less time than usual. */
  first<Row>(read: BoundStatement, deadline = performance.now() + this.#options.answerMs): Promise<Row | undefined> {
    if (this.#isClosed) return Promise.reject(new Error('The database is closed.'));
    const place = this.#places.find(({ session }) => session?.takesReads) ?? this.#leastBusy();
    const { session } = place;
    const row = session?.isOpen
      ? session.ask([read], deadline)
      : this.#opened(place).then((opened) => opened.ask([read], deadline));
    return row as Promise<Row | undefined>;
  }

  /**
   * Runs statements in one transaction and one round trip. They are asked for right before they are sent: from then on they
   * may be committed. Throws `OutcomeUnknown` if the connection ends before the answer.
   */
  async write(statements: () => Promise<readonly BoundStatement[]>, deadline: number): Promise<void> {
    if (this.#isClosed) throw new Error('The database is closed.');
    const session = await this.#opened(this.#leastBusy());
    const asked = await statements();
    if (asked.length === 0) return;
    try {
      await session.ask(asked, deadline);
    } catch (error) {
      throw session.isOpen ? error : new OutcomeUnknown(session.backend, error);
    }
  }

  /** Resolves once all that is under way has ended and the connections are closed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#places.map(async ({ session, opening }) => (await (opening ?? session))?.close()));
  }

  #leastBusy(): Place {
    return this.#places.reduce((least, other) => (loadOf(other) < loadOf(least) ? other : least));
  }

  async #opened(place: Place): Promise<Session> {
    if (place.session?.isOpen) return place.session;
    place.opening ??= this.#open(place);
    place.waiting += 1;
    try {
      return await place.opening;
    } finally {
      place.waiting -= 1;
    }
  }

  async #open(place: Place): Promise<Session> {
    const client = this.#options.connect();
    // A lost connection is noticed by its socket.
    client.on('error', () => undefined);
    try {
      await client.connect();
      const backend = await readBackend(client);
      place.session = new Session(client.connection.stream, backend);
      return place.session;
    } finally {
      place.opening = null;
    }
  }
}

/** Where a connection is, will be, or was. */
interface Place {
  session: Session | null;
  opening: Promise<Session> | null;
  /** How many wait for it to open. */
  waiting: number;
}

const loadOf = ({ session, waiting }: Place): number => (session?.isOpen ? session.underWay : waiting);

/** A statement as one connection knows it. */
interface Prepared {
  readonly name: string;
  /** Null until the server has described it. */
  layout: RowLayout | null;
}

/** A read, or what is written in one transaction. */
interface Asked {
  readonly bound: readonly BoundStatement[];
  readonly statements: readonly Prepared[];
  /** What the server executes as one transaction, numbered from 0 on. */
  readonly batch: number;
  /** Whether other reads may be in its batch: those after one that fails are not executed. */
  readonly isShared: boolean;
  /** Which of them is executed. */
  at: number;
  /** By `performance.now()`. */
  readonly deadline: number;
  readonly resolve: (row: unknown) => void;
  readonly reject: (error: unknown) => void;
  row: unknown;
  error: unknown;
  /** The one that was sent after it. */
  next: Asked | null;
}

class Session {
  readonly backend: Backend;
  readonly #stream: Duplex;
  readonly #prepared = new Map<string, Prepared>();
  readonly #closed = Promise.withResolvers<void>();
  #oldest: Asked | null = null;
  #newest: Asked | null = null;
  #underWay = 0;
  /** How many batches have been begun, and how many the server has ended. */
  #begun = 0;
  #ended = 0;
  #takesReads = false;
  #unsent: Buffer[] = [];
  #received: Buffer[] = [];
  #receivedBytes = 0;
  #neededBytes = messageStart;
  #timer: NodeJS.Timeout | null = null;
  #end: Error | null = null;

  constructor(stream: Duplex, backend: Backend) {
    this.#stream = stream;
    this.backend = backend;
    stream.removeAllListeners('data');
    stream.on('data', (bytes: Buffer) => this.#receive(bytes));
    stream.on('error', (error) => this.#fail(error));
    stream.on('close', () => {
      this.#fail(new Error('Connection terminated unexpectedly'));
      this.#closed.resolve();
    });
  }

  get isOpen(): boolean {
    return this.#end === null && this.#stream.writable;
  }

  get underWay(): number {
    return this.#underWay;
  }

  /** Whether a batch of reads has been begun and not sent. */
  get takesReads(): boolean {
    return this.#takesReads;
  }

  /** Returns the first row of the last statement. */
  ask(asked: readonly BoundStatement[], deadline: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#end) throw this.#end;
      this.#add({ bound: asked, deadline, resolve, reject });
    });
  }

  /** Resolves once all that is under way has ended and the connection is closed, which takes a second at most. */
  async close(): Promise<void> {
    while (this.#underWay > 0) await pause(closePauseMs);
    if (this.isOpen) this.#stream.end(terminateMessage());
    const late = setTimeout(() => this.#stream.destroy(), closeMs);
    await this.#closed.promise;
    clearTimeout(late);
  }

  /** A read whose statement is prepared shares its batch with others; what else there is has one of its own. */
  #add(asked: Pick<Asked, 'bound' | 'deadline' | 'resolve' | 'reject'>): void {
    const { bound } = asked;
    const messages = bound.map(({ statement: { name }, values }) => executeMessages(name, values));
    if (this.#unsent.length === 0) void tick.flush().then(() => this.#send());
    const isShared = bound.length === 1 && bound.every(({ statement }) => this.#prepared.has(statement.name));
    if (!isShared) this.#endBatch();
    if (!this.#takesReads) this.#begun += 1;
    this.#takesReads = true;
    const statements = bound.map(({ statement }, index) => {
      const prepared = this.#prepare(statement);
      this.#unsent.push(messages[index] as Buffer);
      return prepared;
    });
    const batch = this.#begun - 1;
    if (!isShared) this.#endBatch();
    this.#expect({ ...asked, statements, batch, isShared, at: 0, row: undefined, error: null, next: null });
  }

  #endBatch(): void {
    if (this.#takesReads) this.#unsent.push(sync);
    this.#takesReads = false;
  }

  #prepare(statement: NamedStatement): Prepared {
    const known = this.#prepared.get(statement.name);
    if (known) return known;
    const prepared = { name: statement.name, layout: null };
    this.#prepared.set(statement.name, prepared);
    this.#unsent.push(prepareMessages(statement));
    return prepared;
  }

  #expect(asked: Asked): void {
    if (this.#newest) this.#newest.next = asked;
    else this.#oldest = asked;
    this.#newest = asked;
    this.#underWay += 1;
    if (!this.#timer) this.#judgeOldest();
  }

  #send(): void {
    this.#endBatch();
    const unsent = this.#unsent;
    this.#unsent = [];
    if (this.isOpen) this.#stream.write(unsent.length === 1 ? unsent[0] : Buffer.concat(unsent));
  }

  #receive(bytes: Buffer): void {
    this.#received.push(bytes);
    this.#receivedBytes += bytes.length;
    if (this.#receivedBytes < this.#neededBytes) return;
    const all = this.#received.length === 1 ? bytes : Buffer.concat(this.#received);
    try {
      const rest = all.subarray(this.#takeMessages(all));
      this.#received = rest.length > 0 ? [rest] : [];
      this.#receivedBytes = rest.length;
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Returns where the first message begins that is not complete. */
  #takeMessages(bytes: Buffer): number {
    let at = 0;
    while (bytes.length - at >= messageStart) {
      const length = messageLength(bytes, at);
      if (length < messageStart) throw new Error('Connection terminated: the server sent a message without sense');
      if (bytes.length - at < length) {
        this.#neededBytes = length;
        return at;
      }
      this.#take(bytes, at, length);
      at += length;
    }
    this.#neededBytes = messageStart;
    return at;
  }

  #take(bytes: Buffer, at: number, length: number): void {
    const code = bytes[at];
    const body = at + messageStart;
    const asked = this.#oldest;
    const statement = asked?.statements[asked.at];
    switch (code) {
      case messageCodes.dataRow:
        if (asked && statement?.layout) asked.row ??= rowOf(statement.layout, bytes, body);
        return;
      case messageCodes.rowDescription:
        if (statement) statement.layout = layoutOf(bytes, body);
        return;
      case messageCodes.commandComplete:
        if (asked) asked.at += 1;
        if (asked?.isShared) this.#settle(asked);
        return;
      case messageCodes.readyForQuery:
        this.#settleBatch();
        return;
      case messageCodes.errorResponse: {
        const error = withoutValues(errorOf(bytes, body, length));
        if (asked?.batch !== this.#ended || isFatal(error)) {
          this.#fail(error);
          return;
        }
        asked.error = error;
        if (asked.isShared) this.#settle(asked);
        return;
      }
      default:
        if (!ignored.has(code)) throw new Error('Connection terminated: the server sent an unexpected message');
    }
  }

  /** The server has executed a batch, or as much of it as came before an error: what came after it is asked again. */
  #settleBatch(): void {
    if (this.#ended === this.#begun) throw new Error('Connection terminated: the server answered what was not asked');
    const batch = this.#ended;
    this.#ended += 1;
    while (this.#oldest?.batch === batch) {
      const asked = this.#oldest;
      if (asked.isShared) {
        this.#remove(asked);
        this.#add(asked);
      } else this.#settle(asked);
    }
  }

  /** Removes the oldest. */
  #remove(asked: Asked): void {
    this.#oldest = asked.next;
    if (!asked.next) this.#newest = null;
    this.#underWay -= 1;
  }

  /** The oldest has its answer. */
  #settle(asked: Asked): void {
    this.#remove(asked);
    if (asked.error) {
      // Whatever the reason is, the next one prepares the statements again.
      for (const { name } of asked.statements) this.#prepared.delete(name);
      asked.reject(asked.error);
    } else asked.resolve(asked.row);
  }

  /** One timer for all: it runs for the oldest, as long as there is one. */
  #judgeOldest(): void {
    this.#timer = null;
    if (!this.#oldest) return;
    const leftMs = this.#oldest.deadline - performance.now();
    if (leftMs <= 0) this.#fail(new Error('Query read timeout'));
    else this.#timer = setTimeout(() => this.#judgeOldest(), leftMs);
  }

  /** Ends the connection, and all that is under way. */
  #fail(error: unknown): void {
    if (this.#end) return;
    this.#end = error instanceof Error ? error : new Error(String(error));
    if (this.#timer) clearTimeout(this.#timer);
    this.#received = [];
    this.#stream.destroy();
    for (let asked = this.#oldest; asked; asked = asked.next) asked.reject(this.#end);
    [this.#oldest, this.#newest, this.#underWay] = [null, null, 0];
  }
}

const sync = syncMessage();
const closeMs = 1_000;
const closePauseMs = 10;

const isFatal = (error: unknown): boolean =>
  error instanceof Error && 'severity' in error && (error.severity === 'FATAL' || error.severity === 'PANIC');

/** They say nothing that is needed. */
const ignored: ReadonlySet<number | undefined> = new Set([
  messageCodes.parseComplete,
  messageCodes.bindComplete,
  messageCodes.closeComplete,
  messageCodes.emptyQuery,
  messageCodes.noData,
  messageCodes.noticeResponse,
  messageCodes.notificationResponse,
  messageCodes.parameterDescription,
  messageCodes.parameterStatus,
]);
