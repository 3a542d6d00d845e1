/** HTTP statuses of google.rpc codes. Spec: Errors, for 400, 403, 404 and 409. */
const HTTP_STATUS: Readonly<Record<number, number>> = {
  1: 499, // CANCELLED
  3: 400, // INVALID_ARGUMENT
  4: 504, // DEADLINE_EXCEEDED
  5: 404, // NOT_FOUND
  6: 409, // ALREADY_EXISTS
  7: 403, // PERMISSION_DENIED
  8: 413, // RESOURCE_EXHAUSTED: of requests, only their size is limited here
  9: 409, // FAILED_PRECONDITION
  10: 409, // ABORTED
  12: 501, // UNIMPLEMENTED
  14: 503, // UNAVAILABLE
  16: 401, // UNAUTHENTICATED
}

/** The HTTP status that goes with a google.rpc code. */
export const httpStatusOf = (code: number): number => HTTP_STATUS[code] ?? 500
