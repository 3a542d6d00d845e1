import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')

describe('A style sheet of a host', async () => {
  const guide = await readFile(join(root, 'docs/guides/console.md'), 'utf8')
  const own = await readFile(join(root, 'src/console/browser/style.css'), 'utf8')
  const declared = new Set([...own.matchAll(/^\s*(--[\w-]+):/gm)].map(([, name]) => name))
  const used = new Set([...own.matchAll(/var\((--[\w-]+)/g)].map(([, name]) => name))
  const example = /```css\n(.*?)```/s.exec(guide)?.[1] ?? ''
  const named = [...guide.matchAll(/`(--[\w-]+)`/g)].map(([, name]) => name)

  it('sets, in the guide, variables that the pages have', () => {
    const set = [...example.matchAll(/(--[\w-]+):/g)].map(([, name]) => name)
    expect(set).toContain('--font')
    for (const name of set) expect(declared).toContain(name)
  })

  it.each(named)('may set %s, which the pages use', (name) => {
    expect(declared).toContain(name)
    expect(used).toContain(name)
  })
})
