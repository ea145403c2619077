/** An error for a request that Qdrant rejects: its HTTP status and the text in the envelope. */
export class RequestError extends Error {
  readonly status: number;

  constructor(status: number, text: string) {
    super(text);
    this.status = status;
  }
}

export const createWrongInputError = (text: string): RequestError => new RequestError(400, `Wrong input: ${text}`);
/** Returns an error for JSON that does not have the required format, which is checked before anything else. */
export const createFormatError = (text: string): RequestError =>
  new RequestError(400, `Format error in JSON body: ${text}`);
export const createValidationError = (field: string, text: string): RequestError =>
  new RequestError(422, `Validation error in JSON body: [${field}: ${text}]`);
export const createNotFoundError = (name: string): RequestError =>
  new RequestError(404, `Not found: Collection \`${name}\` doesn't exist!`);
