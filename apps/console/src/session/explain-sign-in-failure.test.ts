import { ErrorResponse } from 'oidc-client-ts';
import { describe, expect, test } from 'vitest';
import { explainSignInFailure } from './explain-sign-in-failure.ts';

const client = { origin: 'https://portico.example.com', clientId: 'portico-console' };
/**
 * Creates an error response. `form` is the request to the token endpoint; without it, the error was in the page's URL.
 */
const createErrorResponse = (error: string, error_description?: string, form?: URLSearchParams) =>
  new ErrorResponse(error_description === undefined ? { error } : { error, error_description }, form);
const form = new URLSearchParams({ grant_type: 'authorization_code' });

describe('the cause of a denied sign-in', () => {
  test.each(['Failed to fetch', 'NetworkError when attempting to fetch resource.', 'Load failed'])(
    'is the web origin if the browser reports "%s"',
    (message) => {
      const cause = explainSignInFailure(new TypeError(message), client);
      expect(cause).toContain(
        `Add ${client.origin} to the allowed web origins (CORS) of the client ${client.clientId}`,
      );
    },
  );

  test.each([
    createErrorResponse('unauthorized_client', 'Invalid client or Invalid client credentials', form),
    createErrorResponse('invalid_client', 'AADSTS7000218: The request body must contain client_secret', form),
    createErrorResponse('invalid_client', undefined, form),
  ])('is that the client requires a secret if the token endpoint reports "$message"', (error) => {
    const cause = explainSignInFailure(error, client);
    expect(cause).toContain('The client portico-console requires a secret');
    expect(cause).toContain('Make it a public client');
    expect(cause).toContain(`The provider reports: ${error.message}`);
  });

  test('is the account or a cancellation if access was denied', () => {
    const cause = explainSignInFailure(createErrorResponse('access_denied'), client);
    expect(cause).toMatch(/cancelled, or this account may not use the client portico-console/);
    expect(cause).toContain('The provider reports: access_denied');
    expect(explainSignInFailure(createErrorResponse('access_denied', 'User is not assigned'), client)).toContain(
      'User is not assigned',
    );
  });

  test.each([
    createErrorResponse('unauthorized_client', 'Standard flow is disabled for the client.'),
    createErrorResponse('invalid_grant', 'Code not valid', form),
    new Error('No matching state found in storage'),
    'text',
  ])('is not guessed if there are several: %s', (error) => expect(explainSignInFailure(error, client)).toBeNull());
});
