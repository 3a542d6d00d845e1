import type { Context, Iam } from 'claviger'
import { pause } from '../fuzz/soak/chance.ts'
import type { Answer, Told } from './messages.ts'

/** Pause between two commands, and between two tries, in milliseconds. */
const WRITE_EVERY = 40
const TRY_EVERY = 50

/** What a writer needs beside the library. */
export interface Writer {
  readonly name: string
  readonly context: Context
  readonly signal: AbortSignal
  readonly tell: (told: Told) => void
  /** A strong read of a project that must be there. */
  readonly look: (id: string) => Promise<void>
}

/** Sends one command after the other, until `signal` aborts. */
export const keepWriting = async (iam: Iam, writer: Writer): Promise<void> => {
  for (let n = 0; !writer.signal.aborted; n++) {
    const key = `${writer.name}-${n}`
    const answer = await answerTo(iam, { writer, key, n })
    const isAdded = n % 3 === 0 && answer.answer !== 'nothing' && answer.answer !== 'unknown'
    writer.tell(isAdded ? { ...answer, added: key } : answer)
    // What was answered is seen by who wrote it.
    if (isAdded) await writer.look(key)
    await pause(WRITE_EVERY)
  }
}

interface Command {
  readonly writer: Writer
  readonly key: string
  readonly n: number
}

/** Own projects, a role of the shared one, and its name, which all writers fight for. */
const send = (iam: Iam, { key, n }: Command, context: Context) => {
  if (n % 3 === 0) return iam.projects.add({ id: key, name: key }, context)
  if (n % 3 === 2) return iam.projects.patch({ id: 'shared', name: key }, context)
  return iam.projectRoles.add({ projectId: 'shared', roleKey: key, displayName: key }, context)
}

/** The answer to a command; half of them have an idempotency key, and are sent until there is one. */
const answerTo = async (iam: Iam, command: Command): Promise<Answer> => {
  const { key, n, writer } = command
  const isKeyed = Math.floor(n / 3) % 2 === 0
  const context: Context = {
    ...writer.context,
    correlationId: key,
    ...(isKeyed && { idempotencyKey: key }),
  }
  for (;;) {
    const outcome = await send(iam, command, context)
    if (outcome.isOk()) {
      const positions = outcome.value.events.map(({ position }) => String(position))
      return { type: 'answer', key, answer: positions }
    }
    const { error } = outcome
    const isUnknown = error.kind === 'Unavailable' && error.outcome === 'unknown'
    if (error.kind !== 'Unavailable' && error.kind !== 'Aborted') {
      writer.tell({ type: 'problem', text: `${key} was refused: ${error.kind}` })
      return { type: 'answer', key, answer: 'nothing' }
    }
    if (!isKeyed) {
      await pause(TRY_EVERY)
      return { type: 'answer', key, answer: isUnknown ? 'unknown' : 'nothing' }
    }
    await pause(TRY_EVERY)
  }
}
