import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import type { WeatherApi } from './weather-api.ts';

export interface Sample {
  readonly name: string;
  readonly description: string;
  readonly openapi_spec: object;
}

const folder = resolve(import.meta.dirname, '../../../samples');

/** Returns the project's sample collections, ordered by file name. */
export const readSamples = (): readonly Sample[] =>
  readdirSync(folder)
    .filter((file) => /\.(json|ya?ml)$/.test(file))
    .sort()
    .map((file) => {
      // JSON is also YAML.
      const document = parse(readFileSync(join(folder, file), 'utf8')) as {
        info: { title: string; description: string };
      };
      return { name: document.info.title, description: document.info.description.trim(), openapi_spec: document };
    });

/** Returns the weather sample with the fake API's URL and credential instead of its own URL, which never responds. */
export const withWeatherApi = (sample: Sample, { baseUrl, credential }: WeatherApi) => ({
  ...sample,
  openapi_spec: { ...sample.openapi_spec, servers: [{ url: baseUrl }] },
  authentication: { type: 'apiKey', name: 'app_key', in: 'query', value: credential },
});
