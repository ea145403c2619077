import type { Route } from '../route.ts';
import type { JsonObject } from './json-schema.ts';

/**
 * Which operations an answer leads to (OpenAPI, "Link Object"): those whose path takes an identifier that it supplies. What else such a
 * path takes the caller has to know.
 */
export const linksOf = ({ operation: own, supplies = {} }: Route, routes: readonly Route[]): JsonObject => {
  const led = routes.flatMap(({ hidden, operation, params = {} }) => {
    const parameters = Object.entries(supplies).filter(([name]) => name in params);
    return hidden || operation === own || parameters.length === 0
      ? []
      : [[operation, { operationId: operation, parameters: Object.fromEntries(parameters) }] as const];
  });
  return Object.fromEntries(led);
};
