import { useEffect, useState } from 'preact/hooks'
import { type Call, call, type Failure } from './api.js'

/** What is known of a permission: nothing yet, that it is there, or why not. */
export type Permitted = 'unknown' | 'yes' | Failure

/** Asks by a dry run that would change nothing whether the caller may write. Without a call, the answer is yes. */
export const usePermitted = (probe: Call | undefined): Permitted => {
  const [permitted, setPermitted] = useState<Permitted>(probe ? 'unknown' : 'yes')
  const asked = JSON.stringify(probe)
  useEffect(() => {
    if (!probe) return
    let isCurrent = true
    void call(probe).then((outcome) => {
      const isRefused = 'failure' in outcome && outcome.failure.reason === 'PERMISSION_DENIED'
      if (isCurrent) setPermitted(isRefused ? outcome.failure : 'yes')
    })
    return () => {
      isCurrent = false
    }
  }, [asked])
  return permitted
}
