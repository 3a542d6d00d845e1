import type { RecordedEvent } from '../../src/ports/event-store.js'
import { countingRoles, nothing, perform, projectState, rolesOf, type State } from './model.js'
import type { Answer, Operation } from './workload.js'

/** Something that the library must never do. */
export class Violation extends Error {
  override readonly name = 'Violation'
}

/** Judges every answer by the states that the system was in while it was asked for. */
export interface Judge {
  /** The number of the present state. */
  readonly moment: () => number
  /** Takes what was recorded. @throws Violation when the model would have refused it, or has it already */
  readonly committed: (events: readonly RecordedEvent[], operation: Operation | undefined) => void
  /** The server has gone back to its first `events`. */
  readonly wentBack: (events: number) => void
  /** @throws Violation when the answer was right at no moment from `from` to now; otherwise the first such moment */
  readonly answered: (operation: Operation, answer: Answer, from: number) => number
}

interface Moment {
  readonly state: State
  /** Events in the log. */
  readonly events: number
  /** Operations that are recorded. */
  readonly done: ReadonlySet<string>
}

/** @see Judge */
export const judgeOf = (): Judge => {
  const moments: Moment[] = [{ state: nothing, events: 0, done: new Set() }]
  const present = (): Moment => moments.at(-1) ?? { state: nothing, events: 0, done: new Set() }
  let born = 0

  return {
    moment: () => moments.length - 1,
    committed: (events, operation) => {
      const { state, events: before, done } = present()
      if (!operation) throw new Violation('An append that nobody asked for')
      const { id, command } = operation
      if (done.has(id)) throw new Violation(`${id} is recorded a second time`)
      const after = perform(state, command, ++born)
      if (typeof after === 'string')
        throw new Violation(`${id} is recorded, though it is to be refused as ${after}`)
      if (after === state) throw new Violation(`${id} is recorded, though it changes nothing`)
      moments.push({ state: after, events: before + events.length, done: new Set(done).add(id) })
    },
    wentBack: (events) => {
      const kept = moments.findLast((moment) => moment.events === events)
      if (!kept) throw new Error('The log cannot end within an append')
      moments.push(kept)
    },
    answered: (operation, answer, from) => {
      const within = moments.slice(from)
      const index = within.findIndex((moment) => isRight(moment, operation, answer))
      if (index >= 0) return from + index
      const shown = JSON.stringify(answer, (_, value) =>
        typeof value === 'bigint' ? `${value}` : value,
      )
      throw new Violation(
        `${operation.id} was answered ${shown}, which was right at no moment of the call`,
      )
    },
  }
}

const isRight = (
  { state, done }: Moment,
  { id, command, isRead }: Operation,
  answer: Answer,
): boolean => {
  if ('read' in answer) return readOf(state, command) === answer.read
  if ('changed' in answer && answer.changed) return done.has(id)
  if (isRead)
    return (
      'refused' in answer &&
      (answer.refused !== 'NotFound' || projectState(state, command.projectId) === 'gone')
    )
  // Faults and lost races say nothing of the state; a write that was answered so is judged by the log.
  if ('refused' in answer && !/^(NotFound|AlreadyExists)$/.test(answer.refused)) return true
  const after = perform(state, command, 0)
  return 'refused' in answer ? after === answer.refused : after === state
}

/** What a read shows in a state; undefined when the object is not there. */
const readOf = (state: State, command: Operation['command']): string | undefined => {
  const { method, projectId, roleKey = '' } = command
  const project = projectState(state, projectId)
  switch (method) {
    case 'projects.get':
      return project === 'gone' ? undefined : project
    case 'projectRoles.list':
      return rolesOf(state, projectId).join()
    case 'access.whoHas':
      return String(countingRoles(state, command).includes(roleKey))
    default:
      return countingRoles(state, command).join()
  }
}
