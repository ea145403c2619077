/** Texts of `pages/people`. */
export const people = { title: 'People' };
