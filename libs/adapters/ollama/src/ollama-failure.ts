/**
 * The reason Ollama returned no vectors. `server`: the server is unavailable, or its response is invalid. `busy`: the
 * server is working, but had no time for this text. `loading`: the server is loading the model. `missing`: the server
 * does not have the model. `dimension`: Portico cannot use the model. `text`: only the text is to blame.
 * `undetermined`: the reason is not known yet. `closed`: the embedder was closed.
 */
export type FailureKind = 'server' | 'busy' | 'loading' | 'missing' | 'dimension' | 'text' | 'undetermined' | 'closed';

/** A failure of Ollama. The message is for operators, and contains no part of the embedded texts. */
export class OllamaFailure extends Error {
  readonly kind: FailureKind;

  constructor(kind: FailureKind, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'OllamaFailure';
    this.kind = kind;
  }
}

export const createNotSentFailure = (): OllamaFailure => new OllamaFailure('busy', 'the text was not sent in time');

/** An HTTP status other than 200, with the server's message. */
export class OllamaStatusError extends OllamaFailure {
  readonly status: number;

  constructor(status: number, serverMessage: string) {
    super(
      status === 404 && /\bmodel\b.* not found/i.test(serverMessage) ? 'missing' : 'server',
      `Ollama responded with ${status}: ${serverMessage}`,
    );
    this.status = status;
  }

  /**
   * Whether the text was too long. The wording depends on the server's version; all versions mention the context
   * length.
   */
  get isTextTooLong(): boolean {
    return this.status === 400 && /exceeds?\b.*\bcontext length/i.test(this.message);
  }
}
