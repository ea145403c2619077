/** A request that Qdrant refuses: its HTTP status, and the text in the envelope. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, text: string) {
    super(text);
    this.status = status;
  }
}

export const wrongInput = (text: string): Refusal => new Refusal(400, `Wrong input: ${text}`);
/** The JSON does not have the required format, which is checked before anything else. */
export const formatError = (text: string): Refusal => new Refusal(400, `Format error in JSON body: ${text}`);
export const invalid = (field: string, text: string): Refusal =>
  new Refusal(422, `Validation error in JSON body: [${field}: ${text}]`);
export const noCollection = (name: string): Refusal =>
  new Refusal(404, `Not found: Collection \`${name}\` doesn't exist!`);
