import { german } from 'claviger/console'
import { describe, expect, it } from 'vitest'
import { ENGLISH } from '../../src/console/browser/english.js'

/** All texts, by their paths. A plural is one text, since a language has its own forms. */
const textsOf = (texts: object, path = ''): readonly (readonly [path: string, text: string])[] =>
  Object.entries(texts).flatMap(([name, text]): readonly (readonly [string, string])[] => {
    const at = `${path}/${name}`
    if (typeof text === 'string') return [[at, text]]
    return 'other' in text && 'one' in text ? [[at, text.other]] : textsOf(text, at)
  })

const english = new Map(textsOf(ENGLISH))
const translated = textsOf(german)
const valuesIn = (text: string) => (text.match(/\{\w+\}/g) ?? []).toSorted()

describe('The console in German', () => {
  it('has each text, and no other', () =>
    expect(translated.map(([path]) => path).toSorted()).toEqual([...english.keys()].toSorted()))

  it('has the values of each text', () => {
    for (const [path, text] of translated)
      expect([path, valuesIn(text)]).toEqual([path, valuesIn(english.get(path) ?? '')])
  })

  it('has as many steps for each provider', () => {
    for (const [kind, steps] of Object.entries(german.setUpSteps))
      expect(steps.split('\n').length).toBe(ENGLISH.setUpSteps[kind]?.split('\n').length)
  })

  it('says something in each', () => {
    const same = translated.filter(([path, text]) => text === english.get(path))
    // Names, signs, and words that both languages have.
    expect(same.length).toBeLessThan(40)
    expect(translated.every(([, text]) => text.trim() !== '')).toBe(true)
  })
})
