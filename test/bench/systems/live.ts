import type { Iam } from 'claviger'

/** What the benchmark uses of live checks. */
export interface Live {
  readonly can: (question: {
    readonly orgId: string
    readonly userId: string
    readonly projectId: string
    readonly roleKey: string
  }) => boolean
}

/** Live checks that have caught up; undefined in a version without them. */
export const openLive = async (iam: Iam, signal: AbortSignal): Promise<Live | undefined> => {
  const { access } = iam
  if (!('live' in access) || typeof access.live !== 'function') return undefined
  const opened = await access.live({ signal })
  return opened.isOk() ? opened.value : undefined
}
