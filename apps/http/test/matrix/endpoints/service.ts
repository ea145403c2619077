import { expect } from 'vitest';
import type { Endpoints } from '../endpoint.ts';
import { objectWith, text } from '../shapes.ts';

export const serviceEndpoints: Endpoints = {
  'GET /health': {
    aim: () => ({}),
    holds: ({ body }) => expect(body).toEqual({ status: 'healthy', service: 'portico' }),
  },
  'GET /ready': { aim: () => ({}), ofComposition: true },
  'GET /metrics': {
    answer: text('text/plain; version=0.0.4; charset=utf-8', /^# HELP /m),
    aim: () => ({}),
    ofComposition: true,
  },
  'GET /openapi.json': {
    answer: objectWith('openapi', 'info', 'paths', 'components'),
    aim: () => ({}),
    ofComposition: true,
  },
  'GET /': {
    answer: text('text/plain; charset=utf-8', /^\/console\/\n$/),
    aim: () => ({}),
    holds: ({ headers }) => expect(headers.location).toBe('/console/'),
  },
  'GET /docs': { answer: text('text/html; charset=utf-8', /^<!doctype html>/), aim: () => ({}) },
  'GET /docs/{file}': {
    answer: text('text/javascript; charset=utf-8', /openapi\.json/),
    aim: () => ({ params: { file: 'initializer.js' } }),
  },
  // OpenID Connect Discovery 1.0, section 3, the part about verifying ID tokens; RFC 7517, section 5.
  'GET /.well-known/openid-configuration': {
    answer: objectWith('issuer', 'jwks_uri'),
    aim: () => ({}),
    ofComposition: true,
  },
  'GET /console/config.json': { aim: () => ({}), ofComposition: true },
  // RFC 9728, section 2.
  'GET /.well-known/oauth-protected-resource/mcp': { aim: () => ({}), ofComposition: true },
  'GET /.well-known/jwks.json': { aim: () => ({}), ofComposition: true },
};
