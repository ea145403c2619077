import { Validator } from '@seriousme/openapi-schema-validator';

/** The package's own validator, without the following of references, which it adds to it. */
const validator = new Validator() as unknown as {
  getAjvValidator(version: string): (document: unknown) => boolean;
};

/** Whether a validator that someone else wrote finds no fault in the document, by the same official schema. */
export const otherwiseConforms = (version: string, document: unknown): boolean =>
  validator.getAjvValidator(version)(document);
