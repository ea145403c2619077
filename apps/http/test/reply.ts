/** An answer of the service, as tests read it. */
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
