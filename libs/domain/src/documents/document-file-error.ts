import { PorticoError } from '../errors.ts';

/** The `invalid_body` error for a file that cannot be read as a document. */
export class DocumentFileError extends PorticoError {
  readonly isParsed: boolean;
  /**
   * Whether the file is meant to be a document: it declares a version of OpenAPI or Swagger, or cannot be parsed and
   * mentions one.
   */
  readonly isDocument: boolean;

  constructor(reason: string, { isParsed, isDocument }: Pick<DocumentFileError, 'isParsed' | 'isDocument'>) {
    super('invalid_body', { reason });
    this.isParsed = isParsed;
    this.isDocument = isDocument;
  }
}
