import { ErrorResponse } from 'oidc-client-ts';
import { describe, expect, test } from 'vitest';
import { refusalCause } from './refusal-cause.ts';

const at = { origin: 'https://portico.example.com', clientId: 'portico-console' };
/**
 * Creates an error response. `form` is the request to the token endpoint; without it, the error was in the page's URL.
 */
const refused = (error: string, error_description?: string, form?: URLSearchParams) =>
  new ErrorResponse(error_description === undefined ? { error } : { error, error_description }, form);
const form = new URLSearchParams({ grant_type: 'authorization_code' });

describe('the cause of a denied sign-in', () => {
  test.each(['Failed to fetch', 'NetworkError when attempting to fetch resource.', 'Load failed'])(
    'is the web origin if the browser reports "%s"',
    (message) => {
      const cause = refusalCause(new TypeError(message), at);
      expect(cause).toContain(`Add ${at.origin} to the allowed web origins (CORS) of the client ${at.clientId}`);
    },
  );

  test.each([
    refused('unauthorized_client', 'Invalid client or Invalid client credentials', form),
    refused('invalid_client', 'AADSTS7000218: The request body must contain client_secret', form),
    refused('invalid_client', undefined, form),
  ])('is that the client requires a secret if the token endpoint reports "$message"', (error) => {
    const cause = refusalCause(error, at);
    expect(cause).toContain('The client portico-console requires a secret');
    expect(cause).toContain('Make it a public client');
    expect(cause).toContain(`The provider reports: ${error.message}`);
  });

  test('is the account or a cancellation if access was denied', () => {
    const cause = refusalCause(refused('access_denied'), at);
    expect(cause).toMatch(/cancelled, or this account may not use the client portico-console/);
    expect(cause).toContain('The provider reports: access_denied');
    expect(refusalCause(refused('access_denied', 'User is not assigned'), at)).toContain('User is not assigned');
  });

  test.each([
    refused('unauthorized_client', 'Standard flow is disabled for the client.'),
    refused('invalid_grant', 'Code not valid', form),
    new Error('No matching state found in storage'),
    'text',
  ])('is not guessed if there are several: %s', (error) => expect(refusalCause(error, at)).toBeNull());
});
