export { NetworkFault, type NetworkReason } from '../network/fault.js'
export {
  type GuardedFetch,
  type GuardedFetchOptions,
  guardedFetch,
} from '../network/guarded-fetch.js'
