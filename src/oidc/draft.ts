import type { Iam } from '../index.js'
import type { Setup } from './options.js'
import type { StoredProvider } from './provider.js'
import { orRefuse, Refused } from './refusal.js'

const draftOf = ({ provider: { idpId, details } }: StoredProvider) => ({
  orgId: details.resourceOwner,
  idpId,
})

/** Refuses an inactive provider, unless an open set-up link may try it. @throws Refused */
export const requireUsable = async (
  { options: { iam } }: Setup,
  stored: StoredProvider,
): Promise<void> => {
  if (stored.provider.state === 'active') return
  const links = iam.setupLinks && (await orRefuse(iam.setupLinks.ofDraft(draftOf(stored))))
  if (!links?.length) throw new Refused({ kind: 'ProviderInactive' })
}

/** Tells the set-up links of a provider that it has passed a check as it is. @throws Refused */
export const confirmDraft = async (
  { options: { iam } }: Setup,
  stored: StoredProvider,
  check: Parameters<Iam['setupLinks']['confirmDraft']>[0]['check'],
): Promise<void> => {
  const { state, details } = stored.provider
  if (state === 'active' || !iam.setupLinks) return
  const passed = { ...draftOf(stored), check, sequence: details.sequence }
  await orRefuse(iam.setupLinks.confirmDraft(passed))
}
