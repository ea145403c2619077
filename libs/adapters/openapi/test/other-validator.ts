import { Validator } from '@seriousme/openapi-schema-validator';

/** The package's validator, without its additional resolution of references. */
const validator = new Validator() as unknown as {
  getAjvValidator(version: string): (document: unknown) => boolean;
};

/** Returns whether an independent validator accepts the document, using the same official schema. */
export const isAcceptedByOtherValidator = (version: string, document: unknown): boolean =>
  validator.getAjvValidator(version)(document);
