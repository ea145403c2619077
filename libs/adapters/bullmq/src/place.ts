/** Where the jobs are in Redis: in a queue for each kind, by its name. */
export const place = {
  jobName: 'job',
  options: {
    /** In braces, so that a cluster keeps all keys of the queues in one slot. */
    prefix: '{portico}',
    // A job that stayed behind would keep its id from being offered again; so it goes, whatever came of it. To try again is
    // the outbox's.
    defaultJobOptions: { attempts: 1, removeOnComplete: true, removeOnFail: true },
  },
} as const;
