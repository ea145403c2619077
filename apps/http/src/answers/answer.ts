/** Headers of an answer beyond those that every answer has. */
export type AnswerHeaders = Readonly<Record<string, string>>;

/** A value that is sent as JSON. */
export interface JsonAnswer<Value = unknown> {
  readonly kind: 'json';
  readonly value: Value;
  readonly headers: AnswerHeaders;
  /** In place of the route's status, where it depends on the outcome. */
  readonly status: number | null;
}

/** Bytes or a text that are ready to be sent, as JSON unless `headers` has another `Content-Type`. */
export interface ReadyAnswer {
  readonly kind: 'ready';
  readonly body: Uint8Array | string;
  readonly headers: AnswerHeaders;
  /** As in `JsonAnswer`. */
  readonly status: number | null;
}

/** Parts that are sent as they come, as fast as the client takes them. */
export interface StreamAnswer {
  readonly kind: 'stream';
  readonly parts: AsyncIterable<string>;
  readonly headers: AnswerHeaders;
  readonly status: null;
}

export type Answer<Value = unknown> = JsonAnswer<Value> | ReadyAnswer | StreamAnswer;

const none: AnswerHeaders = {};

export const json = <Value>(value: Value, headers = none, status: number | null = null): JsonAnswer<Value> => ({
  kind: 'json',
  value,
  headers,
  status,
});

export const ready = (body: Uint8Array | string, headers = none, status: number | null = null): ReadyAnswer => ({
  kind: 'ready',
  body,
  headers,
  status,
});

export const stream = (parts: AsyncIterable<string>, headers = none): StreamAnswer => ({
  kind: 'stream',
  parts,
  headers,
  status: null,
});

/** The client has it already (RFC 9110, section 15.4.5). */
export const notModified = (headers: AnswerHeaders): ReadyAnswer => ready('', headers, 304);
