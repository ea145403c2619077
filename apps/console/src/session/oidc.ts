import { InMemoryWebStorage, UserManager, WebStorageStateStore, type User } from 'oidc-client-ts';
import { refusalCause } from './refusal-cause.ts';
import { endOf, type Sign } from './tokens.ts';
import { IssuerAway, SignInError, type OidcWay } from './ways.ts';

/** Where to go on after the issuer has sent the browser back. */
interface ReturnState {
  readonly returnTo: string;
}

export const callbackPath = '/console/sign-in/callback';

/** At the end of `state`: says to the page that the issuer comes back to that it is the window of a repeated sign-in. */
const inPopup = 'popup';

const managers = new Map<string, UserManager>();

/** `fetch` rejects with a TypeError where nobody answers. */
const awayOr = (error: unknown): never => {
  throw error instanceof TypeError ? new IssuerAway() : error;
};

/** One for each way and page load: it remembers, in memory, what renewing and signing out need. */
const managerOf = (way: OidcWay): UserManager => {
  const known = managers.get(way.name);
  if (known) return known;
  const manager = new UserManager({
    authority: way.issuer,
    metadataUrl: new URL(way.metadata_url, window.location.origin).href,
    client_id: way.client_id,
    scope: way.scopes,
    redirect_uri: `${window.location.origin}${callbackPath}`,
    silent_redirect_uri: `${window.location.origin}${callbackPath}`,
    popup_redirect_uri: `${window.location.origin}${callbackPath}`,
    post_logout_redirect_uri: `${window.location.origin}/console/`,
    userStore: new WebStorageStateStore({ store: new InMemoryWebStorage() }),
    // Only what PKCE needs to come back; it holds no token, and goes with the tab.
    stateStore: new WebStorageStateStore({ store: window.sessionStorage }),
    automaticSilentRenew: false,
    monitorSession: false,
    loadUserInfo: false,
    silentRequestTimeoutInSeconds: 10,
  });
  managers.set(way.name, manager);
  return manager;
};

/** Authorization code with PKCE (RFC 7636), as a public client. Tokens stay in memory, even those of the library. */
export const oidcSignIn = (way: OidcWay) => {
  const manager = managerOf(way);

  const explain = (error: unknown): never => {
    const cause = refusalCause(error, { origin: window.location.origin, clientId: way.client_id });
    throw cause === null ? error : new SignInError(cause, { cause: error });
  };

  const signOf = (user: User | null): Sign => {
    const idToken = user?.id_token;
    if (!idToken) throw new SignInError('The identity provider sent no ID token: allow the scope openid.');
    return {
      idToken,
      expiresAt: endOf(idToken),
      // By refresh token where the issuer gave one, else in a hidden frame.
      renew: async () => signOf(await manager.signinSilent().catch(awayOr)),
    };
  };

  return {
    /** Leaves the page for the issuer's. */
    begin: (returnTo: string, oneTimeCode: string | null): Promise<void> =>
      manager.signinRedirect({
        state: { returnTo } satisfies ReturnState,
        ...(oneTimeCode === null ? {} : { extraQueryParams: { one_time_code: oneTimeCode } }),
      }),
    /** Reads the answer in the address of this page. */
    async finish(): Promise<{ readonly sign: Sign; readonly returnTo: string }> {
      const user = await manager.signinRedirectCallback().catch(explain);
      const { returnTo = '/' } = (user.state ?? {}) as Partial<ReturnState>;
      return { sign: signOf(user), returnTo: returnTo.startsWith('/') && !returnTo.startsWith('//') ? returnTo : '/' };
    },
    /** In a window of its own, so that this page keeps its forms. */
    again: async (): Promise<Sign> => signOf(await manager.signinPopup({ url_state: inPopup }).catch(explain)),
    /** Ends the session at the issuer too, where it has a page for that; says whether the browser leaves. */
    async end(): Promise<boolean> {
      const hasPage = await manager.metadataService.getEndSessionEndpoint().catch(() => undefined);
      if (!hasPage) {
        await manager.removeUser();
        return false;
      }
      // Amazon Cognito wants these two instead of the standard's.
      const extraQueryParams = { client_id: way.client_id, logout_uri: `${window.location.origin}/console/` };
      await manager.signoutRedirect({ extraQueryParams });
      return true;
    },
  };
};

/** In the hidden frame of a silent renewal, or the window of a repeated sign-in: hands the answer over to its page. */
export const handOverCallback = async (): Promise<boolean> => {
  const isFrame = window.parent !== window;
  const isPopup = new URLSearchParams(window.location.search).get('state')?.endsWith(`;${inPopup}`) ?? false;
  if (!isFrame && !isPopup) return false;
  const manager = new UserManager({ authority: '', client_id: '', redirect_uri: '' });
  await (isFrame ? manager.signinSilentCallback() : manager.signinPopupCallback());
  return true;
};
