/**
 * Why Ollama gave no vectors. `server`: it is away, or answers what it should not. `busy`: it works, and had no time for this
 * text. `loading`: it loads the model. `missing`: it lacks the model. `dimension`: the model is not one for Portico. `text`: the
 * text alone is to blame. `untold`: it is not known yet. `closed`: nobody wants it any more.
 */
export type FailureKind = 'server' | 'busy' | 'loading' | 'missing' | 'dimension' | 'text' | 'untold' | 'closed';

/** Its message is for operators and holds nothing of what was embedded. */
export class OllamaFailure extends Error {
  readonly kind: FailureKind;

  constructor(kind: FailureKind, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'OllamaFailure';
    this.kind = kind;
  }
}

/** A status other than 200, with what the server said. */
export class OllamaRefusal extends OllamaFailure {
  readonly status: number;

  constructor(status: number, said: string) {
    super(
      status === 404 && /\bmodel\b.* not found/i.test(said) ? 'missing' : 'server',
      `Ollama answered ${status}: ${said}`,
    );
    this.status = status;
  }

  /** The versions of the server word it differently; all name the context's length. */
  get isTextTooLong(): boolean {
    return this.status === 400 && /exceeds?\b.*\bcontext length/i.test(this.message);
  }
}
