/** An answer of the service, as a test looks at it. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** As they came over the wire. */
  readonly raw: Buffer;
  /** Without the coding of the wire. */
  readonly bytes: Buffer;
  readonly text: string;
  /** The body as a JSON object. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The body as a JSON array of objects. */
  readonly list: readonly Readonly<Record<string, unknown>>[];
}
