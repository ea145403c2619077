import type { TypedRow } from '../route.ts';
import type { tableRows } from './table.ts';

/** What the rows of the table tell their callers. */
type Told = (typeof tableRows)[number] extends infer Row ? (Row extends TypedRow<infer Call> ? Call : never) : never;

/** The names of the parameters of a path, such as `group_id` of `/api/groups/:group_id`. */
type ParametersOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParametersOf<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/**
 * Every call of the service by `METHOD path`, made from the schemas of the route table: the one description of the API
 * for programs in TypeScript, of types alone. A member that may be absent is optional; dates are ISO 8601 texts.
 */
export type Calls = {
  readonly [One in Told as One['name']]: {
    readonly params: Readonly<Record<ParametersOf<One['name']>, string>>;
    readonly query: Readonly<Partial<Record<One['parameter'] & string, string | number | boolean | readonly string[]>>>;
    readonly body: One['body'];
    /** What a service account must hold; null: none may call. */
    readonly scope: One['scope'];
    readonly answered: One['answered'];
  };
};
