/** Texts of `pages/clients`. */
export const clients = {
  title: 'My APIs',
  search: 'Search',
  ask: 'Ask for access',
  key: 'My key',
  agents: 'Connect an agent',
};
