/** Most bytes of one request. */
export const MAX_REQUEST_BYTES = 1024 * 1024
