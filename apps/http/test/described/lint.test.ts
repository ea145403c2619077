import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore from '@stoplight/spectral-core';
import { Json } from '@stoplight/spectral-parsers';
import rulesets from '@stoplight/spectral-rulesets';
import { describe, expect, test } from 'vitest';
import { buildOpenApiDocument, routes } from '../../src/index.ts';
import { httpSettings } from '../start-in-memory.ts';

const document = buildOpenApiDocument(routes, httpSettings);
// The specification prescribes the paths, and a trailing slash makes no difference.
const slashes = { redocly: 'no-path-trailing-slash', spectral: 'path-keys-no-trailing-slash' };

/** Returns the problems reported by each linter's recommended rules, as rule, message and location. */
const linters = {
  redocly: async (document: object) => {
    const config = await createConfig({ extends: ['recommended'], rules: { [slashes.redocly]: 'off' } });
    const source = JSON.stringify(document, null, 2);
    const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config });
    return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} (${location[0]?.pointer})`);
  },
  spectral: async (document: object) => {
    const spectral = new spectralCore.Spectral();
    const { oas } = rulesets as unknown as { oas: spectralCore.RulesetDefinition };
    spectral.setRuleset({ extends: [[oas, 'recommended']], rules: { [slashes.spectral]: 'off' } });
    const source = JSON.stringify(document, null, 2);
    const problems = await spectral.run(new spectralCore.Document(source, Json, '/openapi.json'));
    return problems.map(({ code, message, path }) => `${code}: ${message} (${path.join('/')})`);
  },
};

describe.each(Object.entries(linters))("%s's recommended rules", (_name, lint) => {
  test('report no problem in the OpenAPI document except trailing slashes', async () => {
    expect(await lint(document)).toEqual([]);
  });

  test('report the problems of an invalid document', async () => {
    const faults = await lint({ ...document, info: { title: 'Portico', version: '1' }, tags: 'none' });
    expect(faults).toEqual(
      expect.arrayContaining([expect.stringMatching(/^info-(?:license|contact): /), expect.stringContaining('tags')]),
    );
  });
});
