/** The description of this server for clients' models. */
export const instructions =
  'A catalog of APIs with access control. To do a task: search_operations, then describe_operation, then get_api with ' +
  'include_credential, then call the API yourself over HTTP, then record_call. Only APIs that an administrator has ' +
  'granted to you are shown; over HTTP, GET /api/catalog lists the APIs that you can request.';
