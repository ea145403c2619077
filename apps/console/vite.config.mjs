import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Writes each text also as gzip, so that the service never compresses while it answers. */
const gzipped = {
  name: 'gzipped',
  // Only then are the files complete.
  writeBundle({ dir }, bundle) {
    for (const fileName of Object.keys(bundle).filter((name) => /\.(js|css|svg)$/.test(name))) {
      const path = join(dir, fileName);
      writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: 9 }));
    }
  },
};

/** What the service answers; Vite answers the rest of /console. It sees the page's own host, so that it takes its origin. */
const ofTheService = [
  '/api',
  '/console/config.json',
  '/local-issuer',
  '/.well-known',
  '/docs',
  '/health',
  '/ready',
  '/openapi.json',
];

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react(), gzipped],
  server: {
    host: '127.0.0.1',
    proxy: Object.fromEntries(
      ofTheService.map((path) => [path, { target: process.env.PORTICO_SERVER ?? 'http://127.0.0.1:3000' }]),
    ),
  },
  build: {
    // Every file but the page has its content's hash in its name, so that it can be kept for ever.
    assetsDir: 'assets',
    // The policy of the page allows no data in place of a file.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // What most pages are made of comes in few files, instead of one for each part that two pages have.
            { name: 'parts', test: /node_modules|src[\\/](parts|api|layout|words)/, minShareCount: 4 },
          ],
        },
      },
    },
  },
});
