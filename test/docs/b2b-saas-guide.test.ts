import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const examples = join(root, 'docs/examples/b2b-saas')
const guide = readFileSync(join(root, 'docs/guides/b2b-saas.md'), 'utf8')

describe('the guide to a B2B SaaS', () => {
  const files = readdirSync(examples)
  const code = files.filter((file) => file.endsWith('.ts'))
  const linesOf = (file: string) => readFileSync(join(examples, file), 'utf8').trimEnd().split('\n')
  /** Indentation aside. */
  const plain = (text: string) => text.replaceAll(/^ +/gm, '')
  /** Each block, and the file that was linked last before it. */
  const quotes = [...guide.matchAll(/^```ts\n(.*?)^```$/gms)].map(({ 1: code = '', index }) => {
    const links = [...guide.slice(0, index).matchAll(/\]\(\.\.\/examples\/b2b-saas\/([\w.-]+)\)/g)]
    return { file: links.at(-1)?.[1] ?? '', code }
  })

  it.each(quotes)('quotes $file as it is', ({ file, code }) => {
    expect(plain(readFileSync(join(examples, file), 'utf8'))).toContain(plain(code))
  })

  it.each(files)('leads to %s', (file) => {
    expect(guide).toContain(`](../examples/b2b-saas/${file})`)
  })

  it.each([
    ['SQLite', 'postgres.ts'],
    ['PostgreSQL', 'database.ts'],
  ])('has at most 1,300 words about at most 200 lines with tests, on %s', (_, left) => {
    expect(guide.split(/\s+/).length).toBeLessThanOrEqual(1_300)
    const written = code
      .filter((file) => file !== left)
      .flatMap(linesOf)
      .filter((line) => !/^\s*(\/\/|\/\*\*.*\*\/$|$)/.test(line))
    expect(written.length).toBeLessThanOrEqual(200)
  })
})
