export type { StartTimer } from './exchange.ts';
export { createHttpApp, type HttpAppDependencies } from './http-app.ts';
export { createHttpServer, type HttpServer } from './http-server.ts';
export { createOperatorCalls, type OperatorCall, type OperatorResponse } from './operator-calls.ts';
export { errorStatuses } from './errors.ts';
export { buildOpenApiDocument } from './openapi/openapi-document.ts';
export { nameOfPart, type LocalIssuerDocuments, type Route, type RouteAuth } from './route.ts';
export { routes } from './routes/table.ts';
export type { HttpSettings, TrustedProxies } from './settings.ts';
