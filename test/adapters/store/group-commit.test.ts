import { err, ok } from 'neverthrow'
import { describe, expect, test } from 'vitest'
import {
  type GroupWriter,
  groupCommit,
  planGroup,
  type Verdict,
} from '../../../src/adapters/store/group-commit.js'
import { type PreparedAppend, prepareAppend } from '../../../src/adapters/store/record-events.js'
import { appendOf, firstOf, write } from '../../../src/laws/event-store/harness.js'
import { systemEnvironment } from '../../../src/ports/environment.js'
import type { Append } from '../../../src/ports/event-store.js'

const create = (name: string, ...guards: readonly string[]): PreparedAppend =>
  prepareAppend(
    appendOf([...guards.map((guard) => write(`law-${guard}`, 1)), write(`law-${name}`, 0, {})]),
  )

const guard = (name: string): PreparedAppend => prepareAppend(appendOf([write(`law-${name}`, 1)]))

/** The appends of each group that `waiting` is written in. */
const groupsOf = (waiting: readonly PreparedAppend[]): readonly (readonly PreparedAppend[])[] => {
  const groups = []
  let rest = waiting.map((prepared) => ({ prepared }))
  while (rest.length > 0) {
    const plan = planGroup(rest)
    groups.push(plan.group.map(({ prepared }) => prepared))
    rest = plan.rest
  }
  return groups
}

describe('A group', () => {
  test('holds all that touches different streams', () => {
    const waiting = [create('a'), create('b'), create('c')]
    expect(groupsOf(waiting)).toEqual([waiting])
  })

  test('holds appends that guard the same stream', () => {
    const waiting = [create('a', 'p'), create('b', 'p'), guard('p')]
    expect(groupsOf(waiting)).toEqual([waiting])
  })

  test('never holds two that write the same stream', () => {
    const [first, other, second] = [create('a'), create('b'), create('a')] as const
    expect(groupsOf([first, other, second])).toEqual([[first, other], [second]])
  })

  test('never has an append that guards what another one writes, in any order', () => {
    const [writer, guarding] = [create('p'), create('a', 'p')] as const
    expect(groupsOf([writer, guarding])).toEqual([[writer], [guarding]])
    expect(groupsOf([guarding, writer])).toEqual([[guarding], [writer]])
  })

  test('never holds one idempotency key twice', () => {
    const [first, second] = ['a', 'b'].map((name) =>
      prepareAppend(firstOf(`law-${name}`, { idempotencyKey: 'key' })),
    )
    expect(groupsOf([first, second] as PreparedAppend[])).toEqual([[first], [second]])
  })

  test('lets no append overtake a waiting one with the same streams', () => {
    const first = create('a')
    const both = prepareAppend(appendOf([write('law-a', 1, {}), write('law-b', 0, {})]))
    const later = prepareAppend(appendOf([write('law-b', 1, {})]))
    expect(groupsOf([first, both, later])).toEqual([[first], [both], [later]])
  })

  test('lets no append overtake a waiting guard', () => {
    const [writer, guarding, later] = [create('p'), create('a', 'p', 'q'), create('q')] as const
    expect(groupsOf([writer, guarding, later])).toEqual([[writer], [guarding], [later]])
  })

  test('has at most 1,000 appends', () => {
    const waiting = Array.from({ length: 2500 }, (_, n) => create(`${n}`))
    expect(groupsOf(waiting).map(({ length }) => length)).toEqual([1000, 1000, 500])
    expect(groupsOf(waiting).flat()).toEqual(waiting)
  })

  test('has at most 8 MiB to write, but at least one append', () => {
    const sized = (size: number, name: string) => ({ ...create(name), size })
    const mebibyte = 1024 * 1024
    const waiting = [9, 4, 4, 1].map((size, n) => sized(size * mebibyte, `${n}`))
    expect(groupsOf(waiting).map(({ length }) => length)).toEqual([1, 2, 1])
  })

  test('lets no append overtake one that is too large for it', () => {
    const size = 5 * 1024 * 1024
    const waiting = [{ ...create('a'), size }, { ...create('b'), size }, create('b')]
    expect(groupsOf(waiting)).toEqual(waiting.map((one) => [one]))
  })

  test('looks at 2,000 waiting appends and leaves the others, so that planning stays short', () => {
    const one = create('a')
    const waiting = (count: number) => [
      ...Array.from({ length: count - 1 }, () => ({ prepared: one })),
      { prepared: create('b') },
    ]
    expect(planGroup(waiting(2_000)).group).toHaveLength(2)
    expect(planGroup(waiting(2_001)).group).toHaveLength(1)
  })

  test('keeps the order of many that write one stream', () => {
    const waiting = Array.from({ length: 3000 }, () => create('a'))
    expect(groupsOf(waiting.slice(0, 50))).toEqual(waiting.slice(0, 50).map((one) => [one]))
    const { group, rest } = planGroup(waiting.map((prepared) => ({ prepared })))
    expect([...group, ...rest].map(({ prepared }) => prepared)).toEqual(waiting)
  })
})

/** A writer that records everything, or does what `write` says, and shows its groups. */
const fakeWriter = (write?: (group: readonly Append[]) => readonly Verdict[]) => {
  const groups: (readonly Append[])[] = []
  const scheduled: (() => void)[] = []
  const writer: GroupWriter = {
    write: async (prepared) => {
      const group = prepared.map(({ append }) => append)
      groups.push(group)
      return write ? write(group) : group.map(() => ok([]))
    },
    isConnectionFault: (fault) => fault instanceof ConnectionFault,
  }
  const endTurn = async () => {
    for (const end of scheduled.splice(0)) end()
    await settled()
  }
  const nextTurn = () => new Promise<void>((resolve) => scheduled.push(resolve))
  const environment = { ...systemEnvironment, yield: nextTurn }
  return { append: groupCommit(writer, environment), groups, endTurn }
}

/** Turns of the event loop end at once. */
const atOnce = { ...systemEnvironment, yield: async () => undefined }

class ConnectionFault extends Error {}

/** Until all is done that needs no turn of the event loop. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

const creation = (name: string): Append => create(name).append

describe('Group commit', () => {
  test('writes nothing before the turn of the event loop ends, then all waiting appends together', async () => {
    const { append, groups, endTurn } = fakeWriter()
    const waiting = [creation('a'), creation('b')]
    const verdicts = Promise.all(waiting.map(append))
    expect(groups).toEqual([])
    await endTurn()
    expect(groups).toEqual([waiting])
    expect(await verdicts).toEqual([ok([]), ok([])])
  })

  test('forms the next group while one is in flight', async () => {
    const { promise: written, resolve: finish } = Promise.withResolvers<void>()
    const groups: (readonly Append[])[] = []
    const append = groupCommit(
      {
        write: async (group) => {
          groups.push(group.map(({ append }) => append))
          await written
          return group.map(() => ok([]))
        },
        isConnectionFault: () => false,
      },
      atOnce,
    )
    const [first, second, third] = [creation('a'), creation('b'), creation('c')] as const
    const verdicts = [append(first)]
    await Promise.resolve()
    verdicts.push(append(second), append(third))
    await Promise.resolve()
    expect(groups).toEqual([[first]])
    finish()
    await Promise.all(verdicts)
    expect(groups).toEqual([[first], [second, third]])
  })

  test('answers each append by itself', async () => {
    const conflict = err({ kind: 'VersionConflict', stream: 'law-b' } as const)
    const { append, endTurn } = fakeWriter(() => [ok([]), conflict, ok([])])
    const verdicts = Promise.all([creation('a'), creation('b'), creation('c')].map(append))
    await endTurn()
    expect(await verdicts).toEqual([ok([]), conflict, ok([])])
  })

  test('writes append by append after a fault, so that one fails alone', async () => {
    const bad = creation('bad')
    const fault = new Error('too big')
    const { append, groups, endTurn } = fakeWriter((group) => {
      if (group.includes(bad)) throw fault
      return group.map(() => ok([]))
    })
    const [first, last] = [creation('a'), creation('b')] as const
    const outcomes = Promise.allSettled([first, bad, last].map(append))
    await endTurn()
    expect(groups).toEqual([[first, bad, last], [first], [bad], [last]])
    expect(await outcomes).toEqual([
      { status: 'fulfilled', value: ok([]) },
      { status: 'rejected', reason: fault },
      { status: 'fulfilled', value: ok([]) },
    ])
  })

  test('writes one append at a time after a fault of a group', async () => {
    let underWay = 0
    let most = 0
    const append = groupCommit(
      {
        write: async (group) => {
          if (group.length > 1) throw new Error('too many')
          most = Math.max(most, ++underWay)
          await settled()
          underWay--
          return [ok([])]
        },
        isConnectionFault: () => false,
      },
      atOnce,
    )
    await Promise.all(['a', 'b', 'c'].map((name) => append(creation(name))))
    expect(most).toBe(1)
  })

  test('writes nothing a second time after a fault of the connection', async () => {
    const fault = new ConnectionFault()
    const { append, groups, endTurn } = fakeWriter(() => {
      throw fault
    })
    const outcomes = Promise.allSettled([creation('a'), creation('b')].map(append))
    await endTurn()
    expect(groups.length).toBe(1)
    expect(await outcomes).toEqual([
      { status: 'rejected', reason: fault },
      { status: 'rejected', reason: fault },
    ])
  })

  test('goes on after a fault', async () => {
    let isBroken = true
    const { append, endTurn } = fakeWriter((group) => {
      if (isBroken) throw new ConnectionFault()
      return group.map(() => ok([]))
    })
    const failed = expect(append(creation('a'))).rejects.toThrow(ConnectionFault)
    await endTurn()
    await failed
    isBroken = false
    const verdict = append(creation('a'))
    await endTurn()
    expect(await verdict).toEqual(ok([]))
  })

  test('refuses invalid appends, and no others', async () => {
    const { append, groups, endTurn } = fakeWriter()
    const invalid = appendOf([])
    const good = creation('a')
    const outcomes = Promise.allSettled([invalid, good].map(append))
    await endTurn()
    expect(groups).toEqual([[good]])
    expect(await outcomes).toMatchObject([
      { status: 'rejected', reason: { field: 'writes' } },
      { status: 'fulfilled', value: ok([]) },
    ])
  })

  test('lets a single writer wait for others only every eighth time', async () => {
    const { append, endTurn } = fakeWriter()
    const waits = []
    for (let index = 0; index < 34; index++) {
      let isWritten = false
      const written = append(creation(`${index}`)).then(() => {
        isWritten = true
      })
      await settled()
      waits.push(!isWritten)
      await endTurn()
      await written
    }
    const later = (index: number) => index > 8 && index % 8 > 0
    expect(waits).toEqual(waits.map((_, index) => !later(index)))
  })

  test('gathers again as soon as somebody else is there', async () => {
    const { append, groups, endTurn } = fakeWriter()
    const write = async (count: number) => {
      const waiting = Array.from({ length: count }, (_, n) => creation(`${groups.length}-${n}`))
      const written = Promise.all(waiting.map(append))
      await settled()
      const isWritten = groups.at(-1)?.length === count && groups.at(-1)?.[0] === waiting[0]
      await endTurn()
      await written
      return isWritten
    }
    for (let index = 0; index < 9; index++) await write(1)
    expect(await write(1)).toBe(true)
    expect(await write(2)).toBe(true)
    expect(await write(1)).toBe(false)
  })

  test('leaves no append unanswered', async () => {
    const { append, endTurn } = fakeWriter(() => [])
    const failed = expect(append(creation('a'))).rejects.toThrow('no verdict')
    await endTurn()
    await failed
  })
})
