import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { root, texts } from './documents.js'
import { anchorsIn, linksIn } from './markdown.js'

const execute = promisify(execFile)

describe('the documentation', () => {
  it.each([...texts])('links to what exists: %s', async (document, text) => {
    for (const link of linksIn(text)) {
      const [path = '', anchor] = link.split('#')
      const target = path === '' ? document : join(dirname(document), path)
      const found = await readFile(join(root, target), 'utf8').catch((error) =>
        error.code === 'EISDIR' ? '' : undefined,
      )
      expect(found, link).toBeDefined()
      if (anchor !== undefined) expect(anchorsIn(found ?? ''), link).toContain(anchor)
    }
  })
})

/** What tests and their groups are called: text that other arguments follow. */
const titlesIn = (source: string): readonly string[] =>
  [...source.matchAll(/\(\s*(['"`])(.+?)\1,/g)].map(([, , title = '']) => title)

it('The README has at most 700 words.', () => {
  expect((texts.get('README.md') ?? '').split(/\s+/).length).toBeLessThanOrEqual(700)
})

describe('the trace of the specification', () => {
  const trace = texts.get('docs/spec-trace.md') ?? ''
  const rows = trace.split('\n').filter((line) => /“/.test(line))
  const sections = trace.split(/^## /m).slice(1, -1)

  it.each(rows)('names a test that exists: %s', async (row) => {
    const file = /`(test\/[^`]+)` “/.exec(row)?.[1] ?? 'test/specification.test.ts'
    const name = /“([^”]+)”/.exec(row)?.[1] ?? row
    const titles = titlesIn(await readFile(join(root, file), 'utf8'))
    expect(
      titles.filter((title) => title.includes(name)),
      `${file} “${name}”`,
    ).not.toEqual([])
  })

  it('names files that exist', async () => {
    const named = [...trace.matchAll(/`((?:src|test)\/[^`]+)`/g)].map(([, file = '']) => file)
    const missing = named.filter((file) => !existsSync(join(root, file)))
    expect(missing).toEqual([])
  })

  it.each(sections)('leads from the specification to code and a test: %s', (section) => {
    expect(section).toMatch(/`src\/[^`]+`/)
    expect(section).toMatch(/“[^”]+”/)
  })

  it('is the only place that cites the specification: no docstring does', async () => {
    const files = await readdir(join(root, 'src'), { recursive: true })
    const sources = files.filter((file) => /\.(ts|tsx|proto)$/.test(file))
    expect(sources).toContain('index.ts')
    for (const file of sources)
      expect(await readFile(join(root, 'src', file), 'utf8'), file).not.toContain('Spec:')
  })
})

describe('npm start', () => {
  it('runs the quickstart without a surprise', async () => {
    const quickstart = join(root, 'docs/examples/quickstart.ts')
    const { stdout } = await execute(process.execPath, [quickstart], { cwd: root })
    expect(stdout).toContain('a role key twice: code 6')
    expect(stdout).toContain('ann may article.edit, because of:')
    expect(stdout).toMatch(/after the role was removed: .*AccessDenied/)
    expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(40)
    expect(stdout).toMatch(/Done\.\n$/)
  })
})
