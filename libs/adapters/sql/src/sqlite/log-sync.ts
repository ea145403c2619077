import { close, fdatasync, fdatasyncSync, openSync } from 'node:fs';
import { promisify } from 'node:util';

export interface Disk {
  /** Returns once what was written to the file is on disk. */
  readonly sync: (descriptor: number) => void;
  /** Resolves then: another thread waits. */
  readonly syncAside: (descriptor: number) => Promise<void>;
}

const systemDisk: Disk = { sync: fdatasyncSync, syncAside: promisify(fdatasync) };

/** In milliseconds. So long it takes until the log of a large value, and what follows it, is copied into the file. */
const busyMs = 2_000;

/**
 * Makes durable what was committed to the write-ahead log. While the disk is busy with a large value another thread waits
 * for it, and the event loop goes on: a sync takes tens of milliseconds then. Whoever asks meanwhile shares the next one
 * (group commit). Otherwise it takes a fraction of one, and handing it over costs a third of an audited read.
 *
 * A sync that failed is not tried again: Linux forgets what could not be written, and the next sync succeeds without it.
 * What came later would be lost with it, so it fails too, until another process has read the log anew.
 */
export class LogSync {
  readonly #log: string;
  readonly #disk: Disk;
  /** Opened by the first sync: the log is there from the first commit until the last connection is closed. */
  #descriptor: number | null = null;
  #running: Promise<void> | null = null;
  #next: Promise<void> | null = null;
  #busyUntil = 0;
  #failure: Error | null = null;

  constructor(file: string, disk = systemDisk) {
    this.#log = `${file}-wal`;
    this.#disk = disk;
  }

  /** Tells that a large value is in the log. */
  tellLarge(): void {
    this.#busyUntil = performance.now() + busyMs;
  }

  /** Resolves once everything that the log holds now is on disk. Rejects if it cannot be known to be. */
  async synced(): Promise<void> {
    if (this.#failure) throw this.#failure;
    if (this.#running) return (this.#next ??= this.#running.then(() => this.#start()));
    if (performance.now() < this.#busyUntil) return this.#start();
    try {
      this.#disk.sync(this.#open());
    } catch (error) {
      this.#fail(error);
    }
  }

  async close(): Promise<void> {
    await Promise.allSettled([this.#running, this.#next]);
    if (this.#descriptor !== null) await promisify(close)(this.#descriptor);
    this.#descriptor = null;
  }

  #start(): Promise<void> {
    this.#next = null;
    const running = this.#disk
      .syncAside(this.#open())
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        if (this.#running === running) this.#running = null;
      });
    this.#running = running;
    return running;
  }

  #fail(error: unknown): never {
    this.#failure = error instanceof Error ? error : new Error(String(error));
    throw this.#failure;
  }

  #open(): number {
    return (this.#descriptor ??= openSync(this.#log, 'r+'));
  }
}
