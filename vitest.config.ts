import { defineConfig } from 'vitest/config';

if (Number(process.versions.node.split('.')[0]) < 24) {
  throw new Error(`Portico needs Node 24 or newer; this is ${process.version}. Run the tests by "npm test".`);
}

export default defineConfig({
  test: {
    projects: [
      'apps/*',
      'libs/contracts',
      'libs/composition',
      'libs/domain',
      'libs/testing',
      'libs/adapters/*',
      'tools',
    ],
  },
});
