import { expect } from 'vitest';

/** A response from the service, as tests read it. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The body as received. */
  readonly raw: Buffer;
  /** The body, decompressed. */
  readonly bytes: Buffer;
  readonly text: string;
  /** The body as a JSON object. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The body as a JSON array of objects. */
  readonly list: readonly Readonly<Record<string, unknown>>[];
}

/** Returns the status and the body of a response. */
export const outcomeOf = ({ status, body }: Reply) => [status, body];

/** Returns the status and the detail of an error response. */
export const errorOf = ({ status, body }: Reply) => [status, body.detail];

export const expectError = (reply: Reply, status: number, detail: unknown): void =>
  expect(outcomeOf(reply)).toEqual([status, { detail }]);
