import { once } from 'node:events';
import { runProcess, startBackground, version } from '@portico/composition';
import { createHttpApp, createHttpServer } from './index.ts';

// The service: listens, and answers what is under way before it ends.
await runProcess('http', async (portico) => {
  const { config, logger, useCases, documents, localIssuer, localSignIn, issuerEndpoints, tracing } = portico;
  const settings = { ...config, version };
  const server = createHttpServer(
    createHttpApp({
      useCases,
      documents,
      settings,
      logger,
      localIssuer,
      issuerEndpoints,
      localSignIn,
      tracing,
      runsJobs: portico.duties.worksJobs,
    }),
  );
  // They are asked for now, so that the first page already lets its browser talk to them.
  issuerEndpoints();
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
