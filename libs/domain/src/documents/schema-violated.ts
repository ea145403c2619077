import { PorticoError } from '../errors.ts';
import type { ReadDocument } from './document.ts';

const violationsNamed = 5;

/** `invalid_body` for a document with warnings, if none are accepted. */
export class SchemaViolated extends PorticoError {
  readonly #warnings: ReadDocument['warnings'];

  /** `name` is the caller's name for the document; it precedes each pointer. */
  constructor(warnings: ReadDocument['warnings'], name = '') {
    const named = warnings.first
      .slice(0, violationsNamed)
      .map(({ pointer, message }) => `${name}${pointer} ${message}`);
    const more = warnings.total > named.length ? ` (and ${warnings.total - named.length} more)` : '';
    super('invalid_body', { because: named.join('; ') + more });
    this.#warnings = warnings;
  }

  /** The same error for a caller who knows the document by that name. */
  of(name: string): SchemaViolated {
    return new SchemaViolated(this.#warnings, name);
  }
}
