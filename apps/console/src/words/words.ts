import { access } from './en/access.ts';
import { api, schema } from './en/api.ts';
import { apis } from './en/apis.ts';
import { audit } from './en/audit.ts';
import { clients } from './en/clients.ts';
import { formats } from './en/formats.ts';
import { frame } from './en/frame.ts';
import { health } from './en/health.ts';
import { limits } from './en/limits.ts';
import { people } from './en/people.ts';
import { session } from './en/session.ts';
import { usage } from './en/usage.ts';

/**
 * All text in the console, by the area that shows it. Another language would be another object of this shape, chosen
 * here.
 */
export const words = {
  access,
  api,
  apis,
  audit,
  clients,
  formats,
  frame,
  health,
  limits,
  people,
  schema,
  session,
  use: usage,
};
