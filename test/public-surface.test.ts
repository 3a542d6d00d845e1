import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { namesOf, subpaths } from './types/program.js'

// The reports in test/api hold the public names with their types; the gates compare them with what is built.

const golden = join(import.meta.dirname, 'api/names-0.1.json')
/** Plans have no events any more. */
const GONE = ['PlannedEvent']
const OF_0_1 = (JSON.parse(readFileSync(golden, 'utf8')) as readonly string[]).filter(
  (name) => !GONE.includes(name),
)
const packageJson = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'))

/** Most names that the root may have beside those of version 0.1. */
const MAX_NEW_NAMES = 176

describe('The public surface', () => {
  it('has the subpaths that the package exports', () => {
    // claviger/json is claviger/transport under its name of version 0.1.
    const exported = Object.keys(packageJson.exports).filter(
      (path) => !/proto|package|json$/.test(path),
    )
    expect(subpaths.toSorted()).toEqual(
      exported.map((path) => path.replace('.', 'claviger')).toSorted(),
    )
  })

  it('has every name that version 0.1 exported from the root', () => {
    const names = namesOf('claviger').map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining([...OF_0_1]))
    expect(names.filter((name) => !OF_0_1.includes(name)).length).toBeLessThanOrEqual(MAX_NEW_NAMES)
  })

  it.each(subpaths)('of %s has a docstring for every name', (subpath) => {
    const undocumented = namesOf(subpath).filter(({ docstring }) => docstring === '')
    // Those of neverthrow, which has none.
    const borrowed = subpath === 'claviger' ? ['Result', 'ResultAsync'] : []
    expect(undocumented.map(({ name }) => name)).toEqual(borrowed)
  })
})
