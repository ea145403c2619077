import { buildCommandsPage } from './commands.ts';
import { buildConfigurationPage } from './configuration.ts';
import { buildEnvironmentExample } from './environment-example.ts';
import { buildRoutesPage } from './routes.ts';

/** The files that are generated from the sources, by path. */
export const generatedPages: Readonly<Record<string, () => string>> = {
  '.env.example': buildEnvironmentExample,
  'docs/reference/commands.md': buildCommandsPage,
  'docs/reference/configuration.md': buildConfigurationPage,
  'docs/reference/routes.md': buildRoutesPage,
};
