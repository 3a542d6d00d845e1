import { expect, it } from 'vitest'
import { texts } from '../documents.js'

/** What a reader reads of a page: code is looked at, and copied. */
const wordsOf = (text: string): number =>
  text
    .replaceAll(/^```.*?^```$/gms, '')
    .split(/\s+/)
    .filter((word) => /\w/.test(word)).length

it('Guides and reference have at most 45,000 words.', () => {
  const pages = [...texts].filter(([document]) => /^docs\/(guides|reference)\//.test(document))
  expect(pages.length).toBeGreaterThan(40)
  const words = pages.reduce((sum, [, text]) => sum + wordsOf(text), 0)
  expect(words).toBeGreaterThan(30_000)
  expect(words).toBeLessThanOrEqual(45_000)
})
