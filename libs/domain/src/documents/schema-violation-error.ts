import { PorticoError } from '../errors.ts';
import type { ReadDocument } from './document.ts';

const listedWarningsMax = 5;

/** The `invalid_body` error for a document with warnings, if warnings are not accepted. */
export class SchemaViolationError extends PorticoError {
  readonly #warnings: ReadDocument['warnings'];

  /** `name` is the caller's name for the document; it precedes each pointer. */
  constructor(warnings: ReadDocument['warnings'], name = '') {
    const listedWarnings = warnings.first
      .slice(0, listedWarningsMax)
      .map(({ pointer, message }) => `${name}${pointer} ${message}`);
    const remainder =
      warnings.total > listedWarnings.length ? ` (and ${warnings.total - listedWarnings.length} more)` : '';
    super('invalid_body', { reason: listedWarnings.join('; ') + remainder });
    this.#warnings = warnings;
  }

  /** Returns the same error for a caller that uses that name for the document. */
  withName(name: string): SchemaViolationError {
    return new SchemaViolationError(this.#warnings, name);
  }
}
