import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventRecoveryLaws } from '../../../src/laws/index.js'
import type { Answer } from '../../processes/writer.js'
import { checkLog } from '../../processes/writing.js'
import { type Hosts, startHosts, storeOf } from './hosts.js'

let hosts: Hosts

beforeAll(async () => {
  hosts = await startHosts()
})

afterAll(() => hosts[Symbol.asyncDispose]())

describe('When workerd is killed', () => {
  test.each(eventRecoveryLaws)('$name', async ({ name: law, check }) => {
    const name = law.replaceAll(/\W/g, '')
    await check({
      open: async () => storeOf(hosts, name),
      crash: async () => {
        await hosts.restart()
        return storeOf(hosts, name)
      },
    })
  })
})

const WRITERS = ['a', 'b', 'c', 'd']
const COMMANDS = 40

/** Sends the commands of all writers, and calls `answered` with how many answers there are; a lost one is none. */
const writeAll = async (
  object: string,
  answered: (count: number) => void = () => {},
): Promise<readonly Answer[]> => {
  const answers: Answer[] = []
  const write = async (name: string) => {
    for (let n = 0; n < COMMANDS; n++) {
      const answer = await hosts.ask(object, { command: [name, n] })
      answered(answers.push({ key: `${name}-${n}`, ...answer }))
    }
  }
  await Promise.allSettled(WRITERS.map(write))
  return answers
}

describe.each([
  ['killed', () => hosts.restart()],
  ['evicted', (object: string) => hosts.ask(object, { abort: true }).catch(() => undefined)],
])('An object that is %s under load', (how, end: (object: string) => Promise<unknown>) => {
  test('loses no answered append, and records none in part or twice', async () => {
    await hosts.ask(how, { command: ['shared', 0] })
    const start = await hosts.ask(how, { start: true })
    let ended: Promise<unknown> | undefined
    const before = await writeAll(how, (count) => {
      if (count === 50) ended = end(how)
    })
    await ended
    expect(before.length).toBeGreaterThanOrEqual(50)
    expect(await hosts.ask(how, { start: true })).not.toBe(start)
    const again = await writeAll(how)
    expect(again.length).toBe(WRITERS.length * COMMANDS)
    await checkLog(storeOf(hosts, how), [...before, ...again])
  })
})

describe('1,000 roles that are added to one object at the same time', () => {
  test.each([
    ['of different keys', 1000],
    ['half of which are there twice', 500],
  ])('%s: each is there once', async (name, keys) => {
    await hosts.ask(name, { command: ['shared', 0] })
    const calls = Array.from({ length: 1000 }, (_, n) => ({ addRole: `role ${n % keys}` }))
    const added: readonly Answer[] = await hosts.askAll(name, calls)
    const log = await storeOf(hosts, name).readAll(0n, 1e6)
    const roles = log.filter(({ type }) => type === 'project_role.added').map(({ data }) => data)
    const recorded = new Set(roles.map((data) => 'roleKey' in data && data.roleKey))
    expect([roles.length, recorded.size]).toEqual([keys, keys])
    const refusals = added.flatMap(({ refusal }) => refusal ?? [])
    expect(refusals).toEqual(Array.from({ length: 1000 - keys }, () => 'AlreadyExists'))
  })
})
