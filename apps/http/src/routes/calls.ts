import type { TypedRow } from '../route.ts';
import type { tableRows } from './table.ts';

/** The call types of the table's rows. */
type CallTypes = (typeof tableRows)[number] extends infer Row
  ? Row extends TypedRow<infer Call>
    ? Call
    : never
  : never;

/** The parameter names in a path, such as `group_id` in `/api/groups/:group_id`. */
type ParametersOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParametersOf<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/**
 * Every call of the service by `METHOD path`, derived from the schemas of the route table: the types of the API for
 * TypeScript programs. A member that may be absent is optional; dates are ISO 8601 strings.
 */
export type Calls = {
  readonly [CallType in CallTypes as CallType['name']]: {
    readonly params: Readonly<Record<ParametersOf<CallType['name']>, string>>;
    readonly query: Readonly<
      Partial<Record<CallType['parameter'] & string, string | number | boolean | readonly string[]>>
    >;
    readonly body: CallType['body'];
    /** The scope that a service account needs; null if no service account is allowed to call. */
    readonly scope: CallType['scope'];
    readonly response: CallType['response'];
  };
};
