/** Texts of `pages/apis`. */
export const apis = { title: 'APIs' };
