import { expect } from 'vitest';
import type { Endpoints } from '../endpoint.ts';
import { objectWith, text } from '../shapes.ts';

export const serviceEndpoints: Endpoints = {
  'GET /health': {
    target: () => ({}),
    verify: ({ body }) => expect(body).toEqual({ status: 'healthy', service: 'portico' }),
  },
  'GET /ready': { target: () => ({}), dependsOnComposition: true },
  'GET /metrics': {
    response: text('text/plain; version=0.0.4; charset=utf-8', /^# HELP /m),
    target: () => ({}),
    dependsOnComposition: true,
  },
  'GET /openapi.json': {
    response: objectWith('openapi', 'info', 'paths', 'components'),
    target: () => ({}),
    dependsOnComposition: true,
  },
  'GET /': {
    response: text('text/plain; charset=utf-8', /^\/console\/\n$/),
    target: () => ({}),
    verify: ({ headers }) => expect(headers.location).toBe('/console/'),
  },
  'GET /docs': { response: text('text/html; charset=utf-8', /^<!doctype html>/), target: () => ({}) },
  'GET /docs/{file}': {
    response: text('text/javascript; charset=utf-8', /openapi\.json/),
    target: () => ({ params: { file: 'initializer.js' } }),
  },
  // OpenID Connect Discovery 1.0, section 3 (the part about verifying ID tokens); RFC 7517, section 5.
  'GET /local-issuer/.well-known/openid-configuration': {
    response: objectWith('issuer', 'jwks_uri'),
    target: () => ({}),
    dependsOnComposition: true,
  },
  'GET /console/config.json': { target: () => ({}), dependsOnComposition: true },
  // RFC 9728, section 2.
  'GET /.well-known/oauth-protected-resource/mcp': { target: () => ({}), dependsOnComposition: true },
  'GET /.well-known/jwks.json': { target: () => ({}), dependsOnComposition: true },
};
