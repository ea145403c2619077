/** Whether it settles within so many milliseconds; what it settles with is no matter here. */
export const settlesWithin = async (milliseconds: number, promise: Promise<unknown>): Promise<boolean> => {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, milliseconds, false);
  });
  const settled = Promise.allSettled([promise]).then(() => true);
  try {
    return await Promise.race([settled, deadline]);
  } finally {
    clearTimeout(timer);
  }
};
