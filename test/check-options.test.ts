import { describe, expect, it } from 'vitest'
import {
  BOOLEAN,
  checkOptions,
  FUNCTION,
  milliseconds,
  type OptionCheck,
  SIGNAL,
  withMethods,
} from '../src/check-options.js'

const checking = (options: unknown, prefix?: string) => () =>
  checkOptions('open', options, {
    required: { run: FUNCTION },
    optional: { isLoud: BOOLEAN },
    ...(prefix && { prefix }),
  })
const run = () => undefined

describe('Options', () => {
  it.each([
    { run },
    { run, isLoud: false },
    { run, isLoud: undefined },
    Object.assign(Object.create({ other: 1 }), { run }),
  ])('are accepted: %o', (options) => {
    expect(checking(options)).not.toThrow()
  })

  it.each([
    ['unknown', { run, loud: true, is: 1 }, 'open has no option loud, is; it has run, isLoud'],
    ['unknown and undefined', { run, loud: undefined }, 'open has no option loud; it has'],
    ['of the prototype of objects', { run, toString: run }, 'open has no option toString; it has'],
    ['missing', {}, 'run must be a function'],
    ['missing, without options', undefined, 'run must be a function'],
    ['missing, with null for options', null, 'run must be a function'],
    ['null', { run, isLoud: null }, 'isLoud must be a boolean'],
    ['of a wrong type', { run, isLoud: 'yes' }, 'isLoud must be a boolean'],
  ])('are refused when one is %s', (_, options, message) => {
    expect(checking(options)).toThrow(TypeError)
    expect(checking(options)).toThrow(message)
  })

  it('are named with a prefix', () => {
    expect(checking({ run: 1 }, 'hooks.')).toThrow('hooks.run must be a function')
  })
})

describe('A check', () => {
  it.each<readonly [name: string, check: OptionCheck, good: unknown, wrong: unknown]>([
    ['of a signal', SIGNAL, new AbortController().signal, { aborted: false }],
    ['of milliseconds', milliseconds(1, 10), 10, 11],
    ['of whole milliseconds', milliseconds(1, 10), 1, 1.5],
    ['of milliseconds, not of text', milliseconds(1, 10), 5, '5'],
    ['of methods', withMethods(['run'], 'must be a Runner'), { run }, { run: 1 }],
    ['of all methods', withMethods(['run', 'end'], ''), { run, end: run }, { run }],
    ['of methods, not of nothing', withMethods(['run'], ''), { run }, null],
  ])('%s', (_, [isValid], good, wrong) => {
    expect([isValid(good), isValid(wrong)]).toEqual([true, false])
  })
})
