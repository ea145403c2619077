/** Returns whether the process group of `pid`, a process started with `detached`, still has a process. */
export const isGroupAlive = (pid: number): boolean => {
  try {
    return process.kill(-pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
};
