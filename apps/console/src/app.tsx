import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { isProblem } from './api/problem.ts';
import { theme, useTheme } from './layout/theme.ts';
import { SignedIn } from './session/signed-in.tsx';

/** Only network and server errors are retried. */
const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // Opening a page reads fresh data, but components on the same page share a request.
      staleTime: 2_000,
      retry: (count, error) => count < 2 && isProblem(error, 0, 500, 502, 503, 504),
      refetchOnWindowFocus: false,
    },
  },
});

export const App = () => (
  // The CSS variables come from Mantine's style sheet and our own: the Content-Security-Policy forbids inline styles.
  <MantineProvider theme={theme} forceColorScheme={useTheme()} withCssVariables={false} withGlobalClasses={false}>
    <QueryClientProvider client={queries}>
      <Notifications position="bottom-right" />
      <SignedIn />
    </QueryClientProvider>
  </MantineProvider>
);
