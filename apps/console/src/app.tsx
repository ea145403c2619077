import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { isProblem } from './api/problem.ts';
import { theme, useTheme } from './layout/theme.ts';
import { SignedIn } from './session/signed-in.tsx';

/** A refusal stays one; only silence and failures are worth another try. */
const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // What one opens is as it is now; the parts of one page ask only once.
      staleTime: 2_000,
      retry: (count, error) => count < 2 && isProblem(error, 0, 500, 502, 503, 504),
      refetchOnWindowFocus: false,
    },
  },
});

export const App = () => (
  // The variables come from Mantine's style sheet and our own: the page's policy allows no inline styles.
  <MantineProvider theme={theme} forceColorScheme={useTheme()} withCssVariables={false} withGlobalClasses={false}>
    <QueryClientProvider client={queries}>
      <Notifications position="bottom-right" />
      <SignedIn />
    </QueryClientProvider>
  </MantineProvider>
);
