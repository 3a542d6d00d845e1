/** A bug that is put into a source before it is loaded. */
export interface PlantedBug {
  /** What the bug does. */
  readonly name: string
  /** Below `src/`. */
  readonly file: string
  readonly from: string
  readonly to: string
  /** The seed at which the search begins, near one that finds the bug. */
  readonly seed: number
}

const bug = (name: string, file: string, from: string, to: string, seed = 1): PlantedBug => ({
  name,
  file,
  from,
  to,
  seed,
})

/** Bugs that the simulation must find. */
export const PLANTED: readonly PlantedBug[] = [
  bug(
    'a decision does not guard what it has read',
    'application/recording/streams.ts',
    'if (guard) this.#guards.add(stream)',
    'if (guard && !stream.version) this.#guards.add(stream)',
    12,
  ),
  bug(
    'a refusal is answered on a cached state',
    'application/recording/transact.ts',
    'if (!(await streams.confirm())) {',
    'if (false) {',
    12,
  ),
  bug(
    'a lease is given to a second process',
    'webhooks/cursors.ts',
    'if (isHeld(found) && found.holder !== holder) return undefined',
    '',
    3,
  ),
  bug(
    'a sender takes a message for accepted that was refused',
    'webhooks/deliver.ts',
    "if (attempted.outcome !== 'taken') {",
    "if (attempted.outcome === 'unreachable') {",
    55,
  ),
  bug(
    'a sender forgets the messages that it has not delivered when it moves its cursor',
    'webhooks/session.ts',
    'held: queues.held()',
    'held: []',
    5,
  ),
  bug(
    'the senders of one process miss an event that comes while they look',
    'webhooks/log.ts',
    'if (last() > position || until.aborted) return resolve()',
    'if (until.aborted) return resolve()',
    85,
  ),
  bug(
    'a store records on an older version than the decision has read',
    'adapters/memory/event-store.ts',
    'versionOf(stream) !== expectedVersion',
    'versionOf(stream) < expectedVersion',
  ),
  bug(
    'an append whose answer was lost is taken for one that was not recorded',
    'application/recording/transact.ts',
    "outcomeOf(cause) ?? 'unknown'",
    "'not_recorded'",
  ),
  bug(
    'an append that is looked for in vain is said to be unrecorded for certain',
    'application/recording/transact.ts',
    'if (found.length > 0) return found\n  } catch {',
    'if (found.length > 0) return found\n  } catch {\n    throw unavailable(cause, "not_recorded")',
    4,
  ),
  bug(
    'an idempotency key is not recorded',
    'application/recording/metadata.ts',
    '...(idempotencyKey !== undefined && { idempotencyKey: storedKey(orgId, idempotencyKey) }),',
    '',
    83,
  ),
  bug(
    'a cached state counts as loaded for this call',
    'application/recording/streams.ts',
    'this.#fresh.has(stream)',
    'true',
    16,
  ),
  bug(
    'a strong read takes the path of an eventual one',
    'application/reading/query.ts',
    "(call.consistency === 'strong' ? askAtHead(call, query) : ask(query))",
    'ask(query)',
  ),
  bug(
    'a strong read does not look at the head in its own statement',
    'application/reading/query.ts',
    'answer.reached < head',
    'false',
    2,
  ),
  bug(
    'a read joins a catch-up to a lower head than its own',
    'application/following/follow.ts',
    'while (reached < head) {',
    'if (reached < head) {',
    174,
  ),
  bug(
    'a catch-up trusts what it has applied, and not the checkpoint',
    'application/following/catch-up.ts',
    'position = isTrusted && applied === events.length ? read : await reached()',
    'position = read',
    391,
  ),
  bug(
    'a catch-up reads past the first event after its checkpoint',
    'application/following/log-pages.ts',
    'store.readAll(above, size)',
    'store.readAll(above + 1n, size)',
    2,
  ),
  bug(
    'events are applied wherever the checkpoint is',
    'adapters/memory/read-model.ts',
    'if (state.checkpoint !== from) return false',
    '',
    224,
  ),
  bug(
    'a subscription waits for a hint that has come before',
    'application/following/log-pages.ts',
    'if (hints > seen || signal?.aborted) return\n',
    'if (signal?.aborted) return\n      if (longest < 1e9) return environment.sleep(1e9, signal)\n',
  ),
  bug(
    'a subscription that fails goes on from the head',
    'application/following/subscribe.ts',
    "if (error.kind !== 'Unavailable') return",
    "if (error.kind !== 'Unavailable') return\n        position = await store.lastPosition().catch(() => position)",
    10,
  ),
  bug(
    'a role that is added again is the one that was given',
    'domain/role-generations.ts',
    'exists(state) && state.since === roleSince',
    'exists(state)',
    72,
  ),
  bug(
    'a grant that is given again revives what was given by it',
    'domain/role-generations.ts',
    'projectGrant === undefined || roleIn(projectGrant, roleKey)?.since === grantSince',
    'true',
  ),
  bug(
    'a role of a removed object goes on',
    'projections/replace-fact.ts',
    'if (current) current.end ??= position',
    '',
    5,
  ),
  bug(
    'an inactive grant counts',
    'application/grant-rules/judge-access.ts',
    "grants.filter(({ state }) => state === 'active')",
    'grants',
    28,
  ),
  bug(
    'a mapping that is added again revives the members of the one before',
    'projections/world.ts',
    'report.begin > mapping.since',
    'report.begin > 0n',
    33,
  ),
  bug(
    'a role from a group of an inactive provider counts in a check',
    'application/grant-rules/judge-access.ts',
    "if (!role.isProviderActive) return 'ProviderInactive'",
    '',
    31,
  ),
  bug(
    'a report is taken against a stale set of mappings',
    'application/memberships/memberships.ts',
    "({ consistency: 'strong', signal }) as const",
    "({ consistency: 'eventual', signal }) as const",
  ),
  bug(
    'a report of the same groups is not recorded for a new mapping',
    'application/memberships/memberships.ts',
    'since > changed ||',
    '',
    161,
  ),
  bug(
    'a domain is routed to an inactive provider',
    'adapters/memory/read-model.ts',
    'provider && isActive(provider) ?',
    'provider ?',
    2,
  ),
  bug(
    'a domain is verified for a second organization',
    'domain/email-domain/verified-domain.ts',
    "return isOwn ? ok([]) : err({ kind: 'AlreadyExists', object: { type: 'domain', domain } })",
    'return ok([])',
    6,
  ),
  bug(
    'a link opens after it was completed',
    'domain/setup-link/aggregate.ts',
    "(state.status === 'issued' || state.status === 'used')",
    "state.status !== 'revoked'",
    2,
  ),
  bug(
    'a report that misses a mapping before it is not recorded again',
    'application/memberships/memberships.ts',
    'since < recorded.position',
    'since < 0n',
    5480,
  ),
  bug(
    'a report that misses a mapping before it is recorded again without it',
    'application/memberships/memberships.ts',
    'decideReport(runtime, each, streams, input)',
    'decideReport(runtime, each, streams, each === call ? input : { ...input, groups: [] })',
    1820,
  ),
  bug(
    'a provider that is removed meanwhile does not stop what is recorded of its users',
    'application/memberships/memberships.ts',
    'streams.read(identityProviders, ids),',
    'streams.read(identityProviders, ids, { guard: false }),',
    2085,
  ),
]

/** Bugs of the adapter for PostgreSQL that the simulation on a real server must find. */
export const PLANTED_IN_POSTGRES: readonly PlantedBug[] = [
  bug(
    'an append does not lock the log',
    'adapters/postgres/log/writes.ts',
    'PERFORM pg_advisory_xact_lock(',
    'PERFORM (',
    19,
  ),
  bug(
    'an append does not look at the streams that it guards',
    'adapters/postgres/log/writes.ts',
    'IF guarded_versions[guard] <>',
    'IF false AND guarded_versions[guard] <>',
    9,
  ),
  bug(
    'a batch is applied wherever the checkpoint is',
    'adapters/sql/read-model/changes.ts',
    'WHERE position = ? RETURNING 1',
    'WHERE position = ? OR true RETURNING 1',
    2,
  ),
  bug(
    'rows are written though the checkpoint was not moved',
    'adapters/postgres/read-model.ts',
    ' AND EXISTS (SELECT FROM guard))',
    ')',
    8,
  ),
  bug(
    'a checkpoint moves outside of the transaction that writes the rows',
    'adapters/postgres/read-model.ts',
    'run(ask, moveCheckpoint(dialect, batch))',
    'run((one) => connections.read(prepared(one)), moveCheckpoint(dialect, batch))',
    4,
  ),
  bug(
    'a check of access reads the head after the rows',
    'adapters/sql/read-model/access.ts',
    'const [head, reached, project, projectGrant, mapped, grants] = row',
    'const [[head, reached]] = yield { sql: "SELECT " + positionColumns(dialect), parameters: [] }\n' +
      'const [, , project, projectGrant, mapped, grants] = row',
    15,
  ),
  bug(
    'an append whose connection is lost is said not to be recorded',
    'adapters/postgres/connection/connections.ts',
    "() => 'unknown',",
    "() => 'not_recorded',",
    17,
  ),
  bug(
    'a commit whose answer is lost is said not to be recorded',
    'adapters/postgres/connection/connections.ts',
    "        outcome = 'unknown'\n",
    '',
    4,
  ),
  bug(
    'a connection is given back in a transaction that has failed',
    'adapters/postgres/connection/connections.ts',
    "await lent.rows({ text: 'ROLLBACK', values: [] })",
    '',
    93,
  ),
  bug(
    'a lost connection is given back to the pool',
    'adapters/postgres/connection/connections.ts',
    'lent.release(!isUsable)',
    'lent.release(false)',
  ),
  bug(
    'a migration does not lock',
    'adapters/postgres/schema.ts',
    "SELECT pg_advisory_xact_lock(hashtextextended('claviger migrate ' || $1, 0::bigint))",
    'SELECT $1::text',
  ),
  bug(
    'a migration does not look again once it has its lock',
    'adapters/postgres/schema.ts',
    'await migrateFrom(connection, schema, await stateOf(connection, schema, wanted))',
    'await migrateFrom(connection, schema, { version: 0, hasReadTables: false, hasViews: true })',
  ),
  bug(
    'a refused write is said to be unknown when its rollback fails',
    'adapters/postgres/connection/connections.ts',
    ' || isRefusal(error.cause)',
    '',
    23,
  ),
]

/** Bugs that the comparison of memory, databases, live checks and replays must find: `test/fuzz/worlds`. */
export const PLANTED_IN_WORLDS: readonly PlantedBug[] = [
  bug(
    'a role that is taken from the grant of a project goes on',
    'projections/replace-fact.ts',
    'if (current && current.since !== sinceOf.get(roleKey)) current.end ??= position',
    '',
  ),
  bug(
    'a role that is added again is the old one',
    'projections/replace-fact.ts',
    'generation.since === roleSince && permit',
    'permit',
  ),
  bug(
    'roles count while the grant of their project is inactive',
    'projections/world.ts',
    '(isOwner(organization) || isActive(organization, at, assumed))',
    '(isOwner(organization) || exists(organization, at))',
  ),
  bug(
    'a role begins one event late in the past',
    'projections/world.ts',
    'begin <= at && (end',
    'begin < at && (end',
  ),
  bug(
    'the groups of a removed provider count',
    'projections/world.ts',
    '!member || !exists(provider)',
    '!member',
  ),
  bug(
    'a role counts after it has expired',
    'projections/world.ts',
    "state.status === 'active' && (!role.expiresAt || !isExpired(role, moment.now)) ? role",
    "state.status === 'active' ? role",
  ),
  bug(
    'what ended a role last is named, not what ended it first',
    'projections/world.ts',
    'permit.end < generation.end',
    'permit.end > generation.end',
  ),
  bug(
    'the grants of a removed project are listed',
    'adapters/memory/rows.ts',
    'within.every((whole) => exists(whole))',
    'within !== undefined',
  ),
  bug(
    'in SQL, roles of an inactive project count',
    'adapters/sql/read-model/counts.ts',
    "orInactive: asIfActive === 'project' }",
    'orInactive: true }',
  ),
  bug(
    'in SQL, a role that is taken from the grant of a project goes on',
    'adapters/sql/read-model/generations.ts',
    'share.endAt = at',
    'void at',
  ),
]
