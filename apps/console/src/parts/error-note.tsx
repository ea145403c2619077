import { Alert, Button } from '@mantine/core';
import { isProblem } from '../api/problem.ts';
import { words } from '../words/words.ts';

/** Returns an error's message for people. */
export const messageOf = (error: unknown): string => {
  if (!isProblem(error)) return words.frame.unexpected;
  if (error.status === 0) return words.frame.unreachable;
  if (error.status === 429) return words.frame.tooManyRequests(error.retryAfter ?? 60);
  return error.status >= 500 && !error.detail ? words.frame.failed(error.status) : error.message;
};

/** Shows an error with the id that an operator uses to find the request. Shows nothing if there is no error. */
export const ErrorNote = ({ error, retry }: { readonly error: unknown; readonly retry?: () => unknown }) => {
  if (!error) return null;
  const id = isProblem(error) ? error.requestId : null;
  return (
    <Alert color="red" role="alert" my="sm">
      {messageOf(error)}
      {id ? <small> {words.frame.requestId(id)}</small> : null}
      {retry ? (
        <Button variant="default" size="xs" ml="sm" onClick={() => void retry()}>
          {words.frame.retry}
        </Button>
      ) : null}
    </Alert>
  );
};
