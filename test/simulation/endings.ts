import type { KnownEvent } from '../../src/ports/known-event.js'
import { askLive, shown } from './ask.js'
import { Violation } from './judge.js'
import type { Run } from './run.js'
import { type Operation, perform } from './workload.js'

/** A subscriber from the beginning, which must have been given every event once all is quiet. */
export const follow = ({ instances, server }: Run) => {
  const seen: KnownEvent[] = []
  const [first] = instances
  if (!first) throw new Error('There is no instance to follow')
  let isCrashed = false
  void first.crashed.then(() => {
    isCrashed = true
  })
  void (async () => {
    for await (const event of first.iam.subscribe()) seen.push(event)
  })()
  return {
    check: (): void => {
      if (isCrashed) return
      const positions = new Set(seen.map(({ position }) => position))
      if (positions.size !== seen.length) throw new Violation('A follower was given an event twice')
      const missed = server.log().find(({ position }) => !positions.has(position))
      if (missed) throw new Violation(`A follower has missed ${missed.type} at ${missed.position}`)
    },
  }
}

/** Once faults have ended, every instance answers, and what it says is right now. */
export const healed = async (run: Run): Promise<void> => {
  const { instances, judge, disowned, server, tell } = run
  for (const event of server.log())
    if (disowned.has(event.metadata.correlationId ?? ''))
      throw new Violation(`${event.metadata.correlationId} was said not to be recorded, and is`)
  const rows = (await server.readRows?.()) ?? []
  const recorded = new Set(server.log().map(({ metadata }) => metadata.correlationId ?? ''))
  for (const id of rows)
    if (run.rowless.has(id)) throw new Violation(`${id} was refused, and has written its row`)
  const twice = rows.find((id, index) => recorded.has(id) && rows.indexOf(id) !== index)
  if (twice !== undefined) throw new Violation(`${twice} has written its row twice`)
  for (const instance of instances)
    for (const userId of ['ann', 'bob']) {
      const command = {
        method: 'access.check',
        org: 'globex',
        projectId: 'p',
        userId,
        roleKey: 'a',
      } as const
      const question: Operation = { id: 'the last', command, isRead: true, consistency: 'strong' }
      const { iam, process } = instance
      const from = judge.moment()
      const asked = Math.floor(run.scheduler.now())
      const answer = await perform(iam, question)
      tell(`At the end ${process.name} says of ${userId}: ${shown(answer, server)}`)
      if ('refused' in answer)
        throw new Violation(`${process.name} does not recover: ${answer.refused}`)
      const now = Math.floor(run.scheduler.now())
      judge.answered(question, answer, from, { asked, answered: now })
      if (run.hasLiveChecks)
        await askLive({ ...run, hasRecovered: true }, 'the last', question, instance)
    }
}
