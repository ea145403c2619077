import { Alert, Anchor, Button } from '@mantine/core';
import {
  createBrowserRouter,
  isRouteErrorResponse,
  Link,
  Navigate,
  RouterProvider,
  useLocation,
  useNavigate,
  useRouteError,
} from 'react-router';
import { Frame } from './layout/frame.tsx';
import { Page } from './layout/page.tsx';
import { Loading } from './parts/loading.tsx';
import { otherRoutes, pages } from './pages/pages.ts';
import { useMe } from './session/me.ts';
import { words } from './words/words.ts';

/** Redirects to the role's first page. */
const Start = () => {
  const { role } = useMe();
  return <Navigate to={pages.find(({ roles }) => roles.includes(role))?.path ?? '/search'} replace />;
};

/**
 * Matches the messages that browsers and Vite report if one of a page's files cannot be loaded. Either the service is
 * unavailable, and a later retry helps, or the service has been upgraded since the tab was opened and now has different
 * files.
 */
const isLoadFailure = (error: unknown): boolean =>
  error instanceof Error && /dynamically imported module|importing a module|preload css/i.test(error.message);

/** The frame around a failed page remains usable. A reload would end the sign-in, so there is a retry button. */
const Failed = () => {
  const error = useRouteError();
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  const retryButton = (
    <Button variant="default" size="xs" onClick={() => void navigate(pathname + search, { replace: true })}>
      {words.frame.retry}
    </Button>
  );
  if (isLoadFailure(error))
    return (
      <Page title={words.frame.notLoaded}>
        <Alert color="yellow" role="alert">
          {words.frame.maybeUpgraded} {retryButton}{' '}
          <Button variant="default" size="xs" onClick={() => window.location.reload()}>
            {words.frame.reload}
          </Button>
        </Alert>
      </Page>
    );
  const isMissing = isRouteErrorResponse(error) && error.status === 404;
  return <Page title={isMissing ? words.frame.notFound : words.frame.notShown}>{retryButton}</Page>;
};

const NotFound = () => (
  <Page title={words.frame.notFound}>
    <Anchor component={Link} to="/">
      {words.frame.home}
    </Anchor>
  </Page>
);

const createRouter = () =>
  createBrowserRouter(
    [
      {
        path: '/',
        element: <Frame />,
        hydrateFallbackElement: <Loading />,
        children: [
          {
            errorElement: <Failed />,
            children: [
              { index: true, element: <Start /> },
              ...pages.flatMap(({ routes }) => routes),
              ...otherRoutes,
              { path: '*', element: <NotFound /> },
            ],
          },
        ],
      },
    ],
    { basename: '/console' },
  );

let createdRouter: ReturnType<typeof createRouter> | null = null;

/** The router is created after the sign-in, so that no page is loaded earlier. */
export const Router = () => <RouterProvider router={(createdRouter ??= createRouter())} />;
