import type { Context, Iam, IamError } from 'claviger'
import { anyCall, ORGANIZATIONS } from './calls.ts'
import { chance, pick } from './chance.ts'
import type { Answer, Ledger } from './ledger.ts'

/** What a call may be refused with; anything else is a bug. */
const EXPECTED: readonly IamError['kind'][] = [
  'AlreadyExists',
  'NotFound',
  // A grant to the owner of the project.
  'InvalidArgument',
  'Unavailable',
  'Aborted',
  'Cancelled',
]

/** How often a call is sent under its idempotency key at the most. */
const MOST_TRIES = 3

/** Sends one call of any kind to `iam` and notes the answer. @throws Error at a refusal that it should not get */
export const sendAny = async (iam: Iam, ledger: Ledger, signal: AbortSignal): Promise<void> => {
  const number = ledger.next()
  const context = { ...contextOf(number), signal: chance(0.02) ? soonAborted() : signal }
  const call = anyCall(iam)
  const send = async () => answerOf(await call(context))
  let answer = await send()
  for (let tries = 1; context.idempotencyKey && tries < MOST_TRIES; tries++) {
    if (answer !== 'unknown') break
    const again = await send()
    // That nothing is recorded now does not tell what became of the first try.
    if (again !== 'nothing') answer = again
  }
  ledger.note(number, answer)
}

const contextOf = (number: number): Context => ({
  caller: { userId: `u${pick(5)}`, orgId: ORGANIZATIONS[pick(ORGANIZATIONS.length)] ?? '' },
  correlationId: String(number),
  ...(chance(0.3) && { idempotencyKey: `call ${number}` }),
  ...(chance(0.2) && { consistency: 'eventual' }),
})

/** Of a sender who does not wait for the answer. */
const soonAborted = (): AbortSignal => {
  const sender = new AbortController()
  setTimeout(() => sender.abort(), pick(10))
  return sender.signal
}

const answerOf = (result: Awaited<ReturnType<ReturnType<typeof anyCall>>>): Answer => {
  if (result.isErr()) {
    const { error } = result
    if (!EXPECTED.includes(error.kind)) throw new Error(`A call was refused: ${error.kind}`)
    return error.kind === 'Unavailable' && error.outcome === 'unknown' ? 'unknown' : 'nothing'
  }
  const { events } = result.value
  return events[0] ? { position: events[0].position, events: events.length } : 'nothing'
}
