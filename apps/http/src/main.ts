import { once } from 'node:events';
import { runProcess, startBackground, version } from '@portico/composition';
import { createHttpApp, createHttpServer } from './index.ts';

// The service process. It accepts requests, and completes those in flight before it exits.
await runProcess('http', async (portico) => {
  const { config, logger, useCases, documents, localIssuer, localSignIn, listIssuerEndpoints, tracing } = portico;
  const settings = { ...config, version };
  const server = createHttpServer(
    createHttpApp({
      useCases,
      documents,
      settings,
      logger,
      localIssuer,
      listIssuerEndpoints,
      localSignIn,
      tracing,
      runsJobs: portico.duties.runsJobs,
    }),
  );
  // The endpoints are fetched early, so that the first page's policy already allows them.
  listIssuerEndpoints();
  server.listen(config.port, config.host);
  await once(server, 'listening');
  const background = startBackground(portico);
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : config.port;
  logger.info({ host: config.host, port, dataDir: config.dataDir }, `Listening on http://${config.host}:${port}`);
  return {
    async stop() {
      await server.drain(config.production ? {} : { noticeMs: 0 });
      await background.stop();
    },
  };
});
