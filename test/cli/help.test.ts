import { describe, expect, it } from 'vitest'
import { COMMANDS, OVERVIEW } from '../../src/cli/commands.js'
import { claviger } from './command-line.js'

const helps: [string, string][] = [['claviger', OVERVIEW]]
const optionsOf = new Map<string, readonly string[]>()
for (const [name, load] of Object.entries(COMMANDS)) {
  const { help, options } = await load()
  helps.push([name, help])
  optionsOf.set(name, Object.keys(options))
}

describe('The help', () => {
  it.each(helps)('of %s fits a screen of 24 lines and 80 columns', (_, help) => {
    const lines = help.split('\n')
    expect(lines.length).toBeLessThan(24)
    expect(lines.filter((line) => line.length > 80)).toEqual([])
  })

  it('lists all commands', () => {
    const listed = [...OVERVIEW.matchAll(/^ {2}(\w+) {2,}\w/gm)].map(([, name]) => name)
    expect(listed).toEqual(Object.keys(COMMANDS))
  })

  it.each(helps.slice(1))('of %s tells its usage and each of its options', (name, help) => {
    expect(help).toMatch(new RegExp(`^Usage: claviger ${name}\\b`))
    const told = [...help.matchAll(/^ {2}--([\w-]+) /gm)].map(([, option]) => option)
    expect(told.toSorted()).toEqual(optionsOf.get(name)?.toSorted())
  })

  it('is printed on request, with any other arguments', async () => {
    const [help = ''] = helps.filter(([name]) => name === 'copy').map(([, text]) => text)
    const asked = [['--help'], ['help'], ['copy', '--help'], ['copy', '-h', 'x'], ['help', 'copy']]
    const ran = await Promise.all(asked.map((parameters) => claviger(...parameters)))
    const printed = (text: string) => ({ code: 0, out: `${text}\n`, notes: '' })
    expect(ran.slice(0, 2)).toEqual([printed(OVERVIEW), printed(OVERVIEW)])
    expect(ran.slice(2)).toEqual([printed(help), printed(help), printed(help)])
  })

  it('tells the version of the package', async () => {
    expect((await claviger('--version')).out).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
})
