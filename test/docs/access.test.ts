import { spawnSync } from 'node:child_process'
import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openSqlite } from '../../src/adapters/sqlite/index.js'
import { temporaryFile } from '../adapters/sqlite/temporary-file.js'
import { instanceOn } from '../application/desired-state/organization.js'

// Read when the example is loaded.
vi.stubEnv('GOOGLE_CLIENT_SECRET', 'of the pipeline')
vi.stubEnv('IAM_KEY', Buffer.alloc(32).toString('base64'))
const { applyAtBoot, deployment, MAY_PUBLISH } = await import('../../docs/examples/access.ts')
const { main } = await import('../../docs/examples/access-pipeline.ts')

const examples = join(import.meta.dirname, '../../docs/examples')
const printed: string[] = []

beforeEach(() => {
  printed.length = 0
  vi.spyOn(console, 'log').mockImplementation((line) => void printed.push(line))
  vi.spyOn(console, 'error').mockImplementation((line) => void printed.push(line))
})
afterEach(() => vi.restoreAllMocks())

test('every start of the application ends in what the code declares', async () => {
  await using opened = openSqlite(temporaryFile())
  expect(await applyAtBoot(instanceOn(opened.store))).toContain('5 to add')
  const again = instanceOn(opened.store)
  expect(await applyAtBoot(again)).toBe('0 to add, 0 to update, 0 to remove, 5 unchanged')
  const role = await again.projectRoles.get(
    { projectId: 'portal', roleKey: MAY_PUBLISH },
    deployment,
  )
  expect(role._unsafeUnwrap().displayName).toBe('Publisher')
})

test('the pipeline exits with 2 while changes are pending, and with 0 when there are none', async () => {
  const [database, plan] = [temporaryFile(), temporaryFile()]
  expect(await main(['plan', database, plan])).toBe(2)
  expect(readFileSync(plan, 'utf8')).not.toContain('of the pipeline')
  expect(await main(['apply', database, plan])).toBe(0)
  expect(await main(['plan', database, plan])).toBe(0)
  expect(printed.at(-1)).toBe('0 to add, 0 to update, 0 to remove, 5 unchanged')
})

test('the pipeline exits with 1 when the world has moved on since the plan', async () => {
  const [database, plan] = [temporaryFile(), temporaryFile()]
  await main(['plan', database, plan])
  await main(['apply', database, plan])
  expect(await main(['apply', database, plan])).toBe(1)
  expect(printed.at(-1)).toContain('PLAN_OUTDATED')
})

test('the pipeline runs when it is started by a link', async () => {
  const [link, database, plan] = [temporaryFile(), temporaryFile(), temporaryFile()]
  symlinkSync(examples, link)
  const pipeline = join(link, 'access-pipeline.ts')
  const started = spawnSync(process.execPath, [pipeline, 'plan', database, plan])
  expect([started.status, started.stderr.toString()]).toEqual([2, ''])
})

test('the guide shows the examples as they are run', () => {
  const guide = readFileSync(
    new URL('../../docs/guides/access-from-code.md', import.meta.url),
    'utf8',
  )
  for (const example of ['access.ts', 'access-pipeline.ts']) {
    const code = readFileSync(new URL(`../../docs/examples/${example}`, import.meta.url), 'utf8')
    expect(guide).toContain(code)
  }
})
