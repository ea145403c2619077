import { commandsPage } from './commands.ts';
import { configurationPage } from './configuration.ts';
import { environmentExample } from './environment-example.ts';
import { routesPage } from './routes.ts';

/** The files that are generated from the sources, by path. */
export const generatedPages: Readonly<Record<string, () => string>> = {
  '.env.example': environmentExample,
  'docs/reference/commands.md': commandsPage,
  'docs/reference/configuration.md': configurationPage,
  'docs/reference/routes.md': routesPage,
};
