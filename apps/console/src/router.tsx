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
import { furtherRoutes, pages } from './pages/pages.ts';
import { useMe } from './session/me.ts';
import { words } from './words/words.ts';

/** Where a role starts: the first of its pages. */
const Start = () => {
  const { role } = useMe();
  return <Navigate to={pages.find(({ roles }) => roles.includes(role))?.path ?? '/search'} replace />;
};

/**
 * Browsers and Vite say it in words of their own: a file of a page could not be loaded. Either the service is away, and
 * another try helps once it is back; or it was upgraded since the tab was opened, and has other files now.
 */
const isUnloaded = (error: unknown): boolean =>
  error instanceof Error && /dynamically imported module|importing a module|preload css/i.test(error.message);

/** An error of a page leaves the frame around it usable. A reload would end the sign-in, so there is another try. */
const Failed = () => {
  const error = useRouteError();
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  const again = (
    <Button variant="default" size="xs" onClick={() => void navigate(pathname + search, { replace: true })}>
      {words.frame.retry}
    </Button>
  );
  if (isUnloaded(error))
    return (
      <Page title={words.frame.notLoaded}>
        <Alert color="yellow" role="alert">
          {words.frame.perhapsUpgraded} {again}{' '}
          <Button variant="default" size="xs" onClick={() => window.location.reload()}>
            {words.frame.reload}
          </Button>
        </Alert>
      </Page>
    );
  const isMissing = isRouteErrorResponse(error) && error.status === 404;
  return <Page title={isMissing ? words.frame.notFound : words.frame.notShown}>{again}</Page>;
};

const NotFound = () => (
  <Page title={words.frame.notFound}>
    <Anchor component={Link} to="/">
      {words.frame.home}
    </Anchor>
  </Page>
);

const router = () =>
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
              ...furtherRoutes,
              { path: '*', element: <NotFound /> },
            ],
          },
        ],
      },
    ],
    { basename: '/console' },
  );

let made: ReturnType<typeof router> | null = null;

/** Made once somebody is signed in, so that no page is loaded before. */
export const Router = () => <RouterProvider router={(made ??= router())} />;
