import type { CollectionHead, Lifecycle } from '@portico/domain';
import type { ResponseHeaders, RouteResponse } from './route-response.ts';

/**
 * Adds to a response for a collection when it is or will be deprecated (RFC 9745) and stops working (RFC 8594), and a
 * link to its successor (RFC 5829, section 3). Adds nothing for an active collection.
 */
export const addLifecycleHeaders = <Response extends RouteResponse>(
  response: Response,
  target: Pick<CollectionHead, 'lifecycle'> | null,
): Response => {
  if (!target || target.lifecycle.state === 'active') return response;
  const { Link: link, ...headers } = response.headers;
  const links = [link, successorLinkOf(target.lifecycle)].filter((value) => value !== undefined);
  return {
    ...response,
    headers: {
      ...headers,
      ...lifecycleHeadersOf(target.lifecycle),
      ...(links.length === 0 ? {} : { Link: links.join(', ') }),
    },
  };
};

const lifecycleHeadersOf = ({ since, sunset }: Lifecycle): ResponseHeaders => ({
  ...(since === null ? {} : { Deprecation: `@${Math.floor(since / 1_000)}` }),
  ...(sunset === null ? {} : { Sunset: new Date(sunset).toUTCString() }),
});

const successorLinkOf = ({ successor }: Lifecycle): string | undefined =>
  successor === null ? undefined : `</api/collections/${successor}>; rel="successor-version"`;
