import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { oddPhrasesIn } from '../phrases.js'

const root = resolve(import.meta.dirname, '../..')

/** Written for maintainers, or made of other pages. */
const LEFT_OUT = /^(decisions|skills)\/|^spec-trace\.md$/

const pages = [
  'README.md',
  ...(await readdir(join(root, 'docs'), { recursive: true }))
    .filter(
      (file) => file.endsWith('.md') && !LEFT_OUT.test(file) && !file.includes('node_modules'),
    )
    .map((file) => join('docs', file)),
]

const blank = (text: string): string => text.replaceAll(/[^\n]/g, ' ')

/** The prose of a page, each line at its place: without blocks of code, comments, code and addresses. */
const proseIn = (markdown: string): string =>
  markdown
    .replaceAll(/^ *```.*?^ *```$/gms, blank)
    .replaceAll(/<!--.*?-->/gs, blank)
    .replaceAll(/`[^`\n]*`/g, (code) => 'x'.repeat(code.length))
    .replaceAll(/(?<=\])\([^)\s]+\)/g, blank)

const sources = (await readdir(join(root, 'src'), { recursive: true }))
  .filter(
    (file) => /\.(ts|tsx|proto)$/.test(file) && !/(^|\/)gen\/|wire\.ts|openapi\.ts/.test(file),
  )
  .map((file) => join('src', file))

/** The comments of a program, each line at its place: without code in them, and without what is no comment. */
const commentsIn = (code: string): string => {
  let [prose, from] = ['', 0]
  for (const { 0: comment, index } of code.matchAll(/\/\*.*?\*\/|(?<=^|\s)\/\/[^\n]*/gs)) {
    prose += blank(code.slice(from, index))
    prose += comment.replaceAll(/^\s*(?:\/\*\*?|\*\/|\*|\/\/)/gm, blank)
    from = index + comment.length
  }
  return proseIn(prose)
}

it.each(sources)('The comments of a program have no odd phrases: %s', async (file) => {
  const odd = oddPhrasesIn(commentsIn(await readFile(join(root, file), 'utf8')))
  expect(odd.map(({ line, phrase, instead }) => `${line}: “${phrase}”; write: ${instead}`)).toEqual(
    [],
  )
})

describe('The prose of the documentation', () => {
  it.each(pages)('has no odd phrases: %s', async (page) => {
    const odd = oddPhrasesIn(proseIn(await readFile(join(root, page), 'utf8')))
    const found = odd.map(
      ({ line, phrase, instead }) => `${page}:${line}: “${phrase}”; write: ${instead}`,
    )
    expect(found).toEqual([])
  })

  it('is read by patterns that find a phrase over a line break, and none in code', () => {
    const text =
      'Ask\nwhoever. It goes\nby `is told`.\n\n```ts\nwhoever()\n```\n\nWhat you add is kept.\n'
    expect(oddPhrasesIn(proseIn(text)).map(({ line, phrase }) => [line, phrase])).toEqual([
      [2, 'whoever'],
      [2, 'goes by'],
      [9, 'What you add is kept.'],
    ])
  })
})
