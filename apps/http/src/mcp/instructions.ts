/** The description of this server for clients' models. */
export const instructions =
  'A catalog of APIs with access control. To do a task: search_operations, then describe_operation, then call_operation, ' +
  'which sends the request with the stored credential. Only if this catalog makes no calls: prepare_call, then ' +
  'read_credential if a credential is stored, then send the request yourself, then record_call. Only APIs that an ' +
  'administrator has granted to you are shown: request_access lists the others that you can ask for, and asks for one. ' +
  'whoami shows who you are, and the next step if you cannot use an API yet.';
