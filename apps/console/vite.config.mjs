import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Also writes a gzip version of each text file, so that the service never compresses while it handles a request. */
const gzip = {
  name: 'gzip',
  // The files are complete only in this hook.
  writeBundle({ dir }, bundle) {
    for (const fileName of Object.keys(bundle).filter((name) => /\.(js|css|svg)$/.test(name))) {
      const path = join(dir, fileName);
      writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: 9 }));
    }
  },
};

/** The service's paths; Vite serves the rest. The service sees the page's host and accepts its origin. */
const servicePaths = [
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
  plugins: [react(), gzip],
  server: {
    host: '127.0.0.1',
    proxy: Object.fromEntries(
      servicePaths.map((path) => [path, { target: process.env.PORTICO_SERVER ?? 'http://127.0.0.1:3000' }]),
    ),
  },
  build: {
    // Every file except the page has a content hash in its name, so it can be cached forever.
    assetsDir: 'assets',
    // The page's Content-Security-Policy allows no data URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // Code that most pages share goes into a few files, instead of one for each module that two pages share.
            { name: 'parts', test: /node_modules|src[\\/](parts|api|layout|words)/, minShareCount: 4 },
          ],
        },
      },
    },
  },
});
