import { challengeName } from '../../domain/email-domain/decider.js'
import { fieldOf } from '../../domain/field-of.js'
import type { DomainOptions } from '../../ports/domain-options.js'
import type { AdmittedCall } from '../method/context.js'
import { callPort } from '../waiting/race-abort.js'

/** Longest wait for an answer, in milliseconds. */
const TIMEOUT_MS = 5_000

/** Longest name that DNS can look up. */
const MAX_NAME_LENGTH = 253

/** Codes of `node:dns` that say that there are no records. */
const NO_RECORDS = new Set<unknown>(['ENODATA', 'ENOTFOUND'])

/** The TXT records at the name of the challenge of `domain`, each in one text. @throws Fault when there is no answer */
export const publishedRecords = (
  resolveTxt: NonNullable<DomainOptions['resolveTxt']>,
  domain: string,
  { signal }: Pick<AdmittedCall, 'signal'>,
): Promise<readonly string[]> => {
  const name = challengeName(domain)
  if (name.length > MAX_NAME_LENGTH) return Promise.resolve([])
  const resolve = async () => (await resolveTxt(name)).map((texts) => texts.join(''))
  return callPort(() => inTime(resolve()).catch(noneIfMissing), signal)
}

const noneIfMissing = (cause: unknown): readonly string[] => {
  if (NO_RECORDS.has(fieldOf(cause, 'code'))) return []
  throw cause
}

const inTime = <Value>(answer: Promise<Value>): Promise<Value> =>
  new Promise((resolve, reject) => {
    const giveUp = () => reject(new Error(`resolveTxt did not answer within ${TIMEOUT_MS} ms`))
    const timer = setTimeout(giveUp, TIMEOUT_MS)
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
