import { descriptionIn, nameIn } from '../collections/collection-texts.ts';
import type { AuthenticationScheme } from '../collections/collection.ts';
import type { Json } from '../json.ts';
import { authenticationOf } from './document-authentication.ts';
import { baseUrlOf } from './document-base-url.ts';
import { memberOf } from './document-value.ts';
import type { SchemaViolation, DocumentPath } from './document-warning.ts';

/** What is kept of a document beside its text. Each is small, however large the document is. */
export interface DocumentFacts {
  /** `info.title` as far as it can name a collection; null where there is no such text. */
  readonly title: string | null;
  /** `info.description` as far as it can describe a collection; null where it is absent or no string. */
  readonly description: string | null;
  readonly baseUrl: string;
  readonly authentication: AuthenticationScheme;
  /** What the document says and cannot be kept. */
  readonly violations: readonly SchemaViolation[];
}

/** One fact, and what kept it from being what the document says. */
export interface DerivedFact<T> {
  readonly value: T;
  readonly violation?: SchemaViolation;
}

/** The name that stands first in the text of the object at that place. */
export type FirstName = (path: DocumentPath) => string | undefined;

/**
 * What there is to know of a document that `documentFault` took (specification, section 4). `firstName` is asked only where the value
 * cannot tell, for a parsed object has forgotten where names that look like numbers stood.
 */
export function documentFacts(document: Json, firstName: FirstName): DocumentFacts {
  const info = memberOf(document, 'info');
  const title = memberOf(info, 'title');
  const description = memberOf(info, 'description');
  const baseUrl = baseUrlOf(document);
  const authentication = authenticationOf(document, firstName);
  return {
    title: typeof title === 'string' ? nameIn(title) : null,
    description: typeof description === 'string' ? descriptionIn(description) : null,
    baseUrl: baseUrl.value,
    authentication: authentication.value,
    violations: [baseUrl.violation, authentication.violation].filter((one) => one !== undefined),
  };
}
