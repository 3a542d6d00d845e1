import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root, texts } from '../documents.js'
import { linksIn } from '../markdown.js'

const folder = 'docs/decisions/'
const index = `${folder}README.md`
const pages = new Map(
  [...texts].filter(([document]) => document.startsWith(folder) && document !== index),
)

/** A row of the table under the title of a page. */
const row = (text: string, name: string): string =>
  new RegExp(`^\\| ${name} \\| (.+) \\|$`, 'm').exec(text)?.[1] ?? ''

describe('the decisions', () => {
  it('are in at most 28 pages, one for each topic', () => {
    expect(pages.size).toBeGreaterThan(20)
    expect(pages.size).toBeLessThanOrEqual(28)
  })

  it('are all in the index, which lists nothing else', () => {
    const listed = linksIn(texts.get(index) ?? '').map((link) => `${folder}${link}`)
    expect(listed.toSorted()).toEqual([...pages.keys()].toSorted())
  })

  it.each([...pages])('have a status, a date and the files that they bind: %s', (_, text) => {
    expect(text).toMatch(/^# .+\n\n\| \| \|\n\|---\|---\|\n\| status \|/)
    expect(row(text, 'status')).toMatch(/^(accepted|replaced by \[.+\]\(.+\))$/)
    const dates = row(text, 'date').match(/^(\d{4}-\d{2}-\d{2})(?:, changed (\d{4}-\d{2}-\d{2}))?$/)
    expect(dates, 'a day as 2026-01-31').not.toBeNull()
    for (const day of dates?.slice(1) ?? []) if (day) expect(Date.parse(day)).not.toBeNaN()
    const bound = [...row(text, 'binds').matchAll(/`([^`]+)`/g)].map(([, file = '']) => file)
    expect(bound).not.toEqual([])
    expect(bound.filter((file) => !existsSync(join(root, file)))).toEqual([])
  })
})
