import type { ReadModel } from '../../../../src/index.js'
import { newLog } from '../../../../src/laws/read-model/harness.js'
import {
  domainAdded,
  domainProviderSet,
  domainVerified,
  idpAdded,
} from '../../../../src/laws/read-model/object-samples.js'

/** A domain that 2,000 organizations have added, of which one has verified it. */
export const WANTED = 'wanted.example'
export const HOLDER = { orgId: 'org-1000', idpId: 'login' }

/** Applies 4,000 domains of 2,000 organizations. */
export const applyManyDomains = async (model: ReadModel): Promise<void> => {
  const log = newLog()
  for (let n = 0; n < 2_000; n++) {
    const orgId = `org-${n}`
    log.record(orgId, domainAdded(WANTED))
    log.record(orgId, domainAdded(`own-${n}.example`))
    log.record(orgId, domainVerified(`own-${n}.example`))
    log.record(orgId, idpAdded(HOLDER.idpId))
  }
  const { orgId, idpId } = HOLDER
  log.record(orgId, domainProviderSet(WANTED, idpId))
  log.record(orgId, domainVerified(WANTED))
  for (let from = 0; from < log.events.length; from += 1_000) {
    const batch = log.events.slice(from, from + 1_000)
    await model.apply(await model.checkpoint(), batch)
  }
}
