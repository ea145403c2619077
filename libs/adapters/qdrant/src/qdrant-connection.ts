import { againIfBroken, FailureWindow } from '@portico/dependencies';
import type { QdrantClient } from '@qdrant/js-client-rest';
import { BrokenCircuitError, circuitBreaker, handleWhen } from 'cockatiel';
import { connect, type Limits } from './connect.ts';
import { QdrantFailure, toFailure } from './qdrant-failure.ts';
import { readNames, readVersion } from './read-answer.ts';

const failuresMax = 5;
const failuresWithinMs = 10_000;

/**
 * The calls that every index makes. Any failure, including a malformed response, is a `QdrantFailure`. After five
 * within ten seconds the circuit breaker opens, and every call fails at once for a while.
 */
export class QdrantConnection {
  /** For searches and small calls. */
  protected readonly quick: QdrantClient;
  /** For calls that write or read many points. */
  protected readonly bulk: QdrantClient;
  readonly #breaker;

  constructor(url: string, apiKey: string | null, { searchMs, bulkMs, restMs }: Limits) {
    this.quick = connect(url, apiKey, searchMs);
    this.bulk = connect(url, apiKey, bulkMs);
    this.#breaker = circuitBreaker(
      handleWhen((error) => error instanceof QdrantFailure && (error.kind === 'away' || error.kind === 'key')),
      { halfOpenAfter: restMs, breaker: new FailureWindow({ failuresMax, withinMs: failuresWithinMs, inARow: false }) },
    );
  }

  onGivenUp(listener: () => void): void {
    this.#breaker.onBreak(listener);
  }

  version(): Promise<string> {
    return this.call('asking for its version', readVersion, () => this.quick.versionInfo());
  }

  collections(): Promise<readonly string[]> {
    return this.call('listing its collections', readNames, () => this.quick.getCollections());
  }

  async drop(name: string): Promise<void> {
    await this.call('deleting a collection', Boolean, () => this.bulk.deleteCollection(name));
  }

  protected async call<T>(what: string, read: (answer: unknown) => T, make: () => Promise<unknown>): Promise<T> {
    try {
      return await this.#breaker.execute(() => readAs(what, read, make));
    } catch (error) {
      if (error instanceof BrokenCircuitError) {
        throw new QdrantFailure('left alone', 'it failed repeatedly and gets no requests for a few seconds');
      }
      throw error;
    }
  }
}

/** Past the circuit breaker. No call does harm if it arrives twice: at worst the second creation is refused. */
export const readAs = async <T>(
  what: string,
  read: (answer: unknown) => T,
  make: () => Promise<unknown>,
): Promise<T> => {
  try {
    return read(await againIfBroken(make));
  } catch (error) {
    throw toFailure(error, what);
  }
};
