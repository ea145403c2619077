/**
 * Real servers for tests. Each server is looked for in this order:
 *
 * 1. the URL in the environment (TEST_POSTGRES_URL, TEST_REDIS_URL), which is used unchanged: `control` is null;
 * 2. its programs on this machine, which are started on a free port of 127.0.0.1 with a temporary folder. Port and
 *    folder are released after `close()`, and also when the tests are killed;
 * 3. a container, if a container engine is running and TEST_CONTAINERS is not 0: `control` is null;
 * 4. null: the tests that need the server are skipped, counted and listed at the end of the run. If REQUIRE_SERVICES
 *    is 1, an error that names what to install is thrown instead.
 *
 * A test that needs special settings (arguments, a password, durability) never gets the server from the environment.
 *
 *     const postgres = await startPostgres();
 *     afterAll(() => postgres?.close());
 *     describe.skipIf(!postgres)('…', () => …);
 */
export { skipUnlessRequired } from './skip-unless-required.ts';
export { findOnPath } from './binaries.ts';
export * from './postgres.ts';
export * from './redis.ts';
export { sleep as sleepInRealTime } from './real-time.ts';
export { stopTime, type StoppedTime } from './stopped-time.ts';
export { LoopbackServer } from './loopback-server.ts';
export type { ServerControl } from './server-process.ts';
export { findFreePort } from './free-port.ts';
export { bindLate } from './late-bound.ts';
export { createRecordingStream } from './recording-stream.ts';
export { createTemporaryFolder } from './temporary-folder.ts';
export { startFaultProxy, type FaultProxy } from './fault-proxy.ts';
export type { FaultMode } from './faulty-connection.ts';
export { parseMail, type ParsedMail } from './parse-mail.ts';
export { createSelfSignedCertificate, type Certificate } from './self-signed-certificate.ts';
export * from './smtp-server.ts';
export { smtpStages, type SmtpFault, type SmtpScript, type SmtpStage } from './smtp-script.ts';
export { connectToQdrant } from './fake-qdrant/connect-to-qdrant.ts';
export { startFakeQdrant, type QdrantCall, type FakeQdrant } from './fake-qdrant/fake-qdrant.ts';
export type { QdrantFault } from './fake-qdrant/faults.ts';
export { connectToOllama, startFakeOllama } from './fake-ollama/fake-ollama.ts';
export type { OllamaFault, OllamaServer, FakeOllama, FakeOllamaOptions, PullFault } from './fake-ollama/fake-ollama.ts';
export { fakeNomic, type FakeModel } from './fake-ollama/fake-model.ts';
export * from './identity-provider.ts';
export { startFakeFirebase, type FirebasePerson, type FakeFirebase } from './fake-firebase/fake-firebase.ts';
