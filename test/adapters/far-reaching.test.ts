import { expect, test } from 'vitest'
import { aggregates } from '../../src/domain/aggregates.js'
import { eventTypesOf } from '../../src/domain/message.js'
import { FAR_REACHING } from './busy-log.js'

/** Of an identity provider, these three end or suspend roles. */
const OF_PROVIDERS = ['deactivated', 'reactivated', 'removed'].map(
  (end) => `identity_provider.${end}`,
)

test('The events that are tried with many holders are of every type that may concern many.', () => {
  const { project, project_role, project_grant, role_mapping } = aggregates
  const types = [project, project_role, project_grant, role_mapping].flatMap(({ events }) =>
    events.flatMap((event) => eventTypesOf(event)),
  )
  const tried = new Set<string>(FAR_REACHING.map(({ type }) => type))
  expect([...types, ...OF_PROVIDERS].filter((type) => !tried.has(type))).toEqual([])
})
