import { expect, it } from 'vitest'
import { Ledger } from '../../../src/application/recording/ledger.js'
import { Snapshot } from '../../../src/application/recording/snapshot.js'
import { projects } from '../../../src/domain/project/kind.js'
import { ProjectId } from '../../../src/domain/values.js'
import { memoryEventStore } from '../../../src/index.js'
import { PROJECT_DEFAULTS } from '../../defaults.js'

const snapshotOf = (id: string, name: string) =>
  new Snapshot(projects, projects.stream('acme', { id }), {
    state: { status: 'active', ...PROJECT_DEFAULTS, id: ProjectId.parse(id), name },
    version: 1,
    created: 1n,
    changed: 1n,
    since: 1,
  })

/** Remembers projects one after the other, and counts those that are still remembered in the end. */
const countKept = (maxBytes: number, name: string): number => {
  const ledger = new Ledger(memoryEventStore(), maxBytes)
  const snapshots = Array.from({ length: 1_000 }, (_, n) => snapshotOf(`p${n}`, name))
  for (const snapshot of snapshots) ledger.remember(snapshot)
  return snapshots.filter((snapshot) => ledger.recall(projects, snapshot.name)).length
}

it('remembers states up to some bytes, so fewer of those that are large', () => {
  const small = countKept(200_000, 'x')
  const large = countKept(200_000, 'x'.repeat(10_000))
  expect(small).toBeGreaterThan(100)
  expect(small).toBeLessThan(1_000)
  expect(large).toBeGreaterThan(0)
  expect(large).toBeLessThan(20)
})
