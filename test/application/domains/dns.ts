import { challengeName } from '../../../src/domain/email-domain/aggregate.js'
import type { DomainOptions } from '../../../src/index.js'

/** A DNS of the tests: TXT records by name, and the names that were asked for. */
export const fakeDns = () => {
  const records = new Map<string, readonly (readonly string[])[]>()
  const asked: string[] = []
  const domains: DomainOptions = {
    resolveTxt: async (name) => {
      asked.push(name)
      const found = records.get(name)
      if (found) return found
      throw Object.assign(new Error(`queryTxt ENOTFOUND ${name}`), { code: 'ENOTFOUND' })
    },
    isPublicSuffix: (domain) => ['co.uk', 'com.au'].includes(domain),
  }
  return {
    domains,
    asked,
    /** Publishes the challenge of a domain, beside another record. */
    publish: (domain: string, ...challenges: readonly string[]) => {
      const texts = [['v=spf1 -all'], ...challenges.map((challenge) => [challenge])]
      records.set(challengeName(domain), texts)
    },
    records,
  }
}
