/** A secret of every sample; it must be in no warning and no output. */
export const CANARY = 'kT9-canary-secret-Zq4'
