import { Validator } from '@seriousme/openapi-schema-validator';

/** The package's own validator, without its added resolution of references. */
const validator = new Validator() as unknown as {
  getAjvValidator(version: string): (document: unknown) => boolean;
};

/** Whether an independent validator accepts the document, with the same official schema. */
export const otherwiseConforms = (version: string, document: unknown): boolean =>
  validator.getAjvValidator(version)(document);
