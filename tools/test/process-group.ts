/** Whether a process is left of the group that was led by this one, which was started `detached`. */
export const isGroupAlive = (pid: number): boolean => {
  try {
    return process.kill(-pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
};
