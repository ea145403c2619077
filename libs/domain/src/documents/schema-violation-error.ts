import { PorticoError } from '../errors.ts';
import type { ReadDocument } from './document.ts';

const listedMax = 5;

/** The `invalid_body` error for a document with warnings, if warnings are not accepted. */
export class SchemaViolationError extends PorticoError {
  readonly #warnings: ReadDocument['warnings'];

  /** `name` is the caller's name for the document; it precedes each pointer. */
  constructor(warnings: ReadDocument['warnings'], name = '') {
    const listed = warnings.first.slice(0, listedMax).map(({ pointer, message }) => `${name}${pointer} ${message}`);
    const more = warnings.total > listed.length ? ` (and ${warnings.total - listed.length} more)` : '';
    super('invalid_body', { because: listed.join('; ') + more });
    this.#warnings = warnings;
  }

  /** Returns the same error for a caller that uses that name for the document. */
  withName(name: string): SchemaViolationError {
    return new SchemaViolationError(this.#warnings, name);
  }
}
