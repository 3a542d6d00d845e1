import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

type Call = readonly [group: 'projects' | 'projectRoles', method: string, input: object]

let folder: string
let processes: readonly ChildProcess[]

const portal = { id: 'portal', name: 'Portal' }
const editor = { projectId: 'portal', roleKey: 'editor', displayName: 'Editor' }

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'claviger-stale-'))
  processes = [1, 2].map(() =>
    fork(join(import.meta.dirname, 'call-taker.mjs'), [join(folder, 'iam.db')], { execArgv: [] }),
  )
  await Promise.all(processes.map((child) => once(child, 'message')))
})

afterEach(async () => {
  for (const child of processes) child.disconnect()
  await Promise.all(processes.map((child) => once(child, 'exit')))
  rmSync(folder, { recursive: true })
})

/** Makes `call` in the first or the second process. */
const made = async (by: 0 | 1, ...call: Call): Promise<unknown> => {
  const child = processes[by]
  child?.send([...call])
  return child && (await once(child, 'message'))[0]
}

const changed = { changed: true }
const notFound = { kind: 'NotFound' }

describe('What one process remembers of a file that another one writes', () => {
  beforeEach(async () => {
    expect(await made(0, 'projects', 'add', portal)).toEqual(changed)
    expect(await made(0, 'projectRoles', 'add', editor)).toEqual(changed)
  })

  it('never refuses what is there again', async () => {
    const rename = (displayName: string): Call => [
      'projectRoles',
      'update',
      { ...editor, displayName },
    ]
    expect(await made(0, ...rename('one'))).toEqual(changed)
    const { displayName: _, ...named } = editor
    expect(await made(1, 'projectRoles', 'remove', named)).toEqual(changed)
    expect(await made(0, ...rename('two'))).toEqual(notFound)
    expect(await made(1, 'projectRoles', 'add', editor)).toEqual(changed)
    // The first process remembers that there is none.
    expect(await made(0, ...rename('three'))).toEqual(changed)
  })

  it('never takes for unchanged what another one changed', async () => {
    const rename = (name: string): Call => ['projects', 'update', { ...portal, name }]
    expect(await made(0, ...rename('one'))).toEqual(changed)
    expect(await made(1, ...rename('two'))).toEqual(changed)
    // The first process remembers it so.
    expect(await made(0, ...rename('one'))).toEqual(changed)
    expect(await made(0, ...rename('one'))).toEqual({ changed: false })
  })

  it('never adds to a project that another one removed', async () => {
    const add = (roleKey: string): Call => ['projectRoles', 'add', { ...editor, roleKey }]
    expect(await made(0, ...add('one'))).toEqual(changed)
    expect(await made(1, 'projects', 'remove', { id: 'portal' })).toEqual(changed)
    expect(await made(0, ...add('two'))).toEqual(notFound)
  })
})
