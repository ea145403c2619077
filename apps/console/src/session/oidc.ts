import { InMemoryWebStorage, UserManager, WebStorageStateStore, type User } from 'oidc-client-ts';
import { explainSignInFailure } from './explain-sign-in-failure.ts';
import { expiryOf, type SignIn } from './tokens.ts';
import { IssuerUnavailable, SignInError, type OidcMethod } from './sign-in-methods.ts';

/** The page to open after the issuer redirects back. */
interface ReturnState {
  readonly returnTo: string;
}

export const callbackPath = '/console/sign-in/callback';

/** A suffix of `state` that marks the callback page as the popup of a repeated sign-in. */
const popupSuffix = 'popup';

const managers = new Map<string, UserManager>();

/** `fetch` rejects with a TypeError if there is no response. */
const throwUnavailable = (error: unknown): never => {
  throw error instanceof TypeError ? new IssuerUnavailable() : error;
};

/**
 * Returns the manager of a sign-in method. There is one per method and page load, which keeps the data for renewing and
 * signing out in memory.
 */
const managerOf = (method: OidcMethod): UserManager => {
  const existingManager = managers.get(method.name);
  if (existingManager) return existingManager;
  const manager = new UserManager({
    authority: method.issuer,
    metadataUrl: new URL(method.metadata_url, window.location.origin).href,
    client_id: method.client_id,
    scope: method.scopes,
    redirect_uri: `${window.location.origin}${callbackPath}`,
    silent_redirect_uri: `${window.location.origin}${callbackPath}`,
    popup_redirect_uri: `${window.location.origin}${callbackPath}`,
    post_logout_redirect_uri: `${window.location.origin}/console/`,
    userStore: new WebStorageStateStore({ store: new InMemoryWebStorage() }),
    // Stores only the PKCE state for the redirect, which contains no token and is deleted with the tab.
    stateStore: new WebStorageStateStore({ store: window.sessionStorage }),
    automaticSilentRenew: false,
    monitorSession: false,
    loadUserInfo: false,
    silentRequestTimeoutInSeconds: 10,
  });
  managers.set(method.name, manager);
  return manager;
};

/** The authorization code flow with PKCE (RFC 7636), as a public client. All tokens are kept in memory only. */
export const oidcSignIn = (method: OidcMethod) => {
  const manager = managerOf(method);

  const throwExplained = (error: unknown): never => {
    const cause = explainSignInFailure(error, { origin: window.location.origin, clientId: method.client_id });
    throw cause === null ? error : new SignInError(cause, { cause: error });
  };

  const toSignIn = (user: User | null): SignIn => {
    const idToken = user?.id_token;
    if (!idToken) throw new SignInError('The identity provider did not send an ID token: allow the scope openid.');
    return {
      idToken,
      expiresAt: expiryOf(idToken),
      // Uses a refresh token if the issuer issued one, or else a hidden frame.
      renew: async () => toSignIn(await manager.signinSilent().catch(throwUnavailable)),
    };
  };

  return {
    /** Redirects to the issuer. */
    begin: (returnTo: string, oneTimeCode: string | null): Promise<void> =>
      manager.signinRedirect({
        state: { returnTo } satisfies ReturnState,
        ...(oneTimeCode === null ? {} : { extraQueryParams: { one_time_code: oneTimeCode } }),
      }),
    /** Reads the response from this page's URL. */
    async finish(): Promise<{ readonly signIn: SignIn; readonly returnTo: string }> {
      const user = await manager.signinRedirectCallback().catch(throwExplained);
      const { returnTo = '/' } = (user.state ?? {}) as Partial<ReturnState>;
      return {
        signIn: toSignIn(user),
        returnTo: returnTo.startsWith('/') && !returnTo.startsWith('//') ? returnTo : '/',
      };
    },
    /** Signs in again in a popup, so that this page keeps its forms. */
    signInAgain: async (): Promise<SignIn> =>
      toSignIn(await manager.signinPopup({ url_state: popupSuffix }).catch(throwExplained)),
    /**
     * Signs out. Also ends the session at the issuer, if the issuer has an endpoint for that. Returns whether the
     * browser leaves the page.
     */
    async signOut(): Promise<boolean> {
      const endSessionEndpoint = await manager.metadataService.getEndSessionEndpoint().catch(() => undefined);
      if (!endSessionEndpoint) {
        await manager.removeUser();
        return false;
      }
      // Amazon Cognito requires these parameters instead of the standard ones.
      const extraQueryParams = { client_id: method.client_id, logout_uri: `${window.location.origin}/console/` };
      await manager.signoutRedirect({ extraQueryParams });
      return true;
    },
  };
};

/**
 * Passes the response to the opener if this page is in the hidden frame of a silent renewal or the popup of a repeated
 * sign-in. Returns whether it is.
 */
export const forwardCallback = async (): Promise<boolean> => {
  const isFrame = window.parent !== window;
  const isPopup = new URLSearchParams(window.location.search).get('state')?.endsWith(`;${popupSuffix}`) ?? false;
  if (!isFrame && !isPopup) return false;
  const manager = new UserManager({ authority: '', client_id: '', redirect_uri: '' });
  await (isFrame ? manager.signinSilentCallback() : manager.signinPopupCallback());
  return true;
};
