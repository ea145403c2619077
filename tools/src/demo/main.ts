import { parseArgs } from 'node:util';
import { localAdmin, openLocalIssuer, readConfig } from '@portico/composition';
import { createApiClient } from '../api-client.ts';
import { startService } from '../service-process.ts';
import { tellStory } from './story.ts';

/** `npm run demo`: the service on its embedded default, and a first day with it, told through the real HTTP API. */
const { values } = parseArgs({
  options: { exit: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
});

if (values.help) {
  process.stdout.write(
    'npm run demo             tell the story and leave the service running\n' +
      'npm run demo -- --exit   tell the story and end\n',
  );
} else {
  const config = readConfig(process.env);
  const issuer = await openLocalIssuer(config);
  if (!issuer) throw new Error('The demo needs the local issuer: unset IDENTITY_ISSUER and IDENTITY_LOCAL');
  const service = await startService(process.env);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void service.stop());
  try {
    const adminToken = await issuer.mint({ ...localAdmin, emailVerified: true, ttlSeconds: 86_400 });
    const mintUserToken = (uid: string, email: string) =>
      issuer.mint({ uid, email, emailVerified: true, ttlSeconds: 86_400 });
    const story = { adminToken, mintUserToken, mailFolder: config.mail.folder, leaveOpen: !values.exit };
    await tellStory(createApiClient(service.address), story);
    if (!values.exit) await service.ended;
  } finally {
    await service.stop();
  }
}
