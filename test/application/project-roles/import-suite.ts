import { expect, test } from 'vitest'
import type { ImportProgress } from '../../../src/application/import-rows.js'
import {
  context,
  done,
  instanceOn,
  onEmpty,
  refused,
  without,
} from '../desired-state/organization.js'
import type { OpenStore } from '../stores.js'

const portal = { id: 'portal', name: 'Portal' }
const projectId = 'portal'
const row = (index: number) => ({ roleKey: `r${index}`, displayName: `Role ${index}`, group: 'g' })
const rows = (count: number) => Array.from({ length: count }, (_, index) => row(index))

async function* oneByOne<Row>(source: readonly Row[]): AsyncGenerator<Row> {
  yield* source
}

const OVER = { done: true, value: undefined } as const

type Step = { readonly done?: false; readonly value: ReturnType<typeof row> } | typeof OVER

/** A source that counts how often it is closed. */
const watched = (step: (index: number) => Promise<Step>) => {
  let index = 0
  const source = {
    closed: 0,
    close: async (): Promise<Step> => OVER,
    [Symbol.asyncIterator]: () => ({
      next: () => step(index++),
      return: () => {
        source.closed++
        return source.close()
      },
    }),
  }
  return source
}

/** What `iam.projectRoles.import` does on any store. */
export const importSuite = (open: OpenStore): void => {
  test('rows of a list and of a stream are added in batches, with progress reports', () =>
    onEmpty(open, async (world) => {
      await done(world.iam.projects.add(portal, context))
      const before = world.appends
      const told: ImportProgress[] = []
      const onProgress = (progress: ImportProgress) => told.push(progress)
      const input = { projectId, roles: oneByOne(rows(2_500)) }
      expect(await done(world.iam.projectRoles.import(input, { ...context, onProgress }))).toEqual({
        done: 2_500,
        added: 2_500,
        unchanged: 0,
        refusedCount: 0,
        refused: [],
      })
      expect(world.appends - before).toBe(3)
      expect(told).toEqual(
        [1_000, 2_000, 2_500].map((done) => ({ done, added: done, unchanged: 0, refusedCount: 0 })),
      )
    }))

  test('a second run adds only missing roles', () =>
    onEmpty(open, async ({ iam, plain }) => {
      await done(iam.projects.add(portal, context))
      await done(iam.projectRoles.import({ projectId, roles: rows(3) }, context))
      // Another process, which remembers nothing.
      const report = await done(
        instanceOn(plain).projectRoles.import({ projectId, roles: rows(5) }, context),
      )
      expect(report).toMatchObject({ added: 2, unchanged: 3, refusedCount: 0 })
      const head = await plain.lastPosition()
      expect(
        await done(iam.projectRoles.import({ projectId, roles: rows(5) }, context)),
      ).toMatchObject({ added: 0, unchanged: 5 })
      expect(await plain.lastPosition()).toBe(head)
    }))

  test('rows have permissions, and are equal in any order', () =>
    onEmpty(open, async ({ iam }) => {
      await done(iam.projects.add(portal, context))
      const imported = (permissions?: readonly string[]) =>
        done(
          iam.projectRoles.import(
            { projectId, roles: [{ ...row(0), ...(permissions && { permissions }) }] },
            context,
          ),
        )
      expect(await imported(['b', 'a'])).toMatchObject({ added: 1 })
      expect(await imported(['a', 'b'])).toMatchObject({ unchanged: 1 })
      for (const others of [['a'], [], undefined])
        expect(await imported(others)).toMatchObject({
          refused: [{ index: 0, error: { kind: 'AlreadyExists' } }],
        })
      expect(await imported(['a', 'a'])).toMatchObject({
        refused: [{ error: { violations: [{ field: 'permissions[1]' }] } }],
      })
      const { permissions } = await done(
        iam.projectRoles.get({ projectId, roleKey: 'r0' }, context),
      )
      expect(permissions).toEqual(['a', 'b'])
    }))

  test('a malformed row and one that would change a role are reported, the others added', () =>
    onEmpty(open, async ({ iam }) => {
      await done(iam.projects.add(portal, context))
      await done(iam.projectRoles.add({ projectId, ...row(1), displayName: 'Mine' }, context))
      const malformed = { ...row(2), displayName: '' }
      const differs = {
        kind: 'AlreadyExists',
        object: { type: 'project_role', projectId, roleKey: 'r1' },
      }
      const report = await done(
        iam.projectRoles.import({ projectId, roles: [row(0), row(1), malformed, row(3)] }, context),
      )
      expect(report).toEqual({
        done: 4,
        added: 2,
        unchanged: 0,
        refusedCount: 2,
        refused: [
          { index: 1, error: differs },
          {
            index: 2,
            error: {
              kind: 'InvalidArgument',
              violations: [{ field: 'displayName', description: 'must not be empty' }],
            },
          },
        ],
      })
      const kept = await done(iam.projectRoles.get({ projectId, roleKey: 'r1' }, context))
      expect(kept.displayName).toBe('Mine')
    }))

  test('a repeated key is added once; the later row is unchanged or refused', () =>
    onEmpty(open, async ({ iam }) => {
      await done(iam.projects.add(portal, context))
      const roles = [row(0), row(0), { ...row(0), group: 'other' }]
      const report = await done(iam.projectRoles.import({ projectId, roles }, context))
      expect(report).toMatchObject({
        added: 1,
        unchanged: 1,
        refused: [{ index: 2, error: { kind: 'AlreadyExists' } }],
      })
    }))

  test('a source may reuse one object for all rows', () =>
    onEmpty(open, async ({ iam }) => {
      await done(iam.projects.add(portal, context))
      function* filling() {
        const reused = row(0)
        for (const next of [...rows(3), { ...row(3), displayName: '' }])
          yield Object.assign(reused, next)
      }
      const input = { projectId, roles: filling() }
      expect(await done(iam.projectRoles.import(input, context))).toMatchObject({
        added: 3,
        unchanged: 0,
        refused: [{ index: 3, error: { kind: 'InvalidArgument' } }],
      })
      const { items } = await done(iam.projectRoles.list({ projectId }, context))
      expect(items.map(({ roleKey }) => roleKey)).toEqual(['r0', 'r1', 'r2'])
    }))

  test('a row that throws when it is read counts as a failure of the source', () =>
    onEmpty(open, async ({ iam }) => {
      await done(iam.projects.add(portal, context))
      const cause = new Error('the line is torn')
      const torn = {
        ...row(1),
        get displayName(): string {
          throw cause
        },
      }
      const imported = iam.projectRoles.import({ projectId, roles: [row(0), torn] }, context)
      expect(await refused(imported)).toEqual({ kind: 'SourceFailed', index: 1, cause })
      const { totalSize } = await done(iam.projectRoles.list({ projectId }, context))
      expect(totalSize).toBe(1)
    }))

  test('of many refused rows a thousand are listed, and all are counted', () =>
    onEmpty(open, async ({ iam }) => {
      await done(iam.projects.add(portal, context))
      const roles = oneByOne(rows(1_500).map((row) => ({ ...row, displayName: '' })))
      const report = await done(iam.projectRoles.import({ projectId, roles }, context))
      expect(report).toMatchObject({ done: 1_500, added: 0, refusedCount: 1_500 })
      expect(report.refused).toHaveLength(1_000)
    }))

  test('a refused row has its index among all rows, not within its batch', () =>
    onEmpty(open, async ({ iam }) => {
      await done(iam.projects.add(portal, context))
      const roles = [...rows(1_200), { ...row(1_200), displayName: '' }]
      const report = await done(iam.projectRoles.import({ projectId, roles }, context))
      expect(report.refused.map(({ index }) => index)).toEqual([1_200])
    }))

  test('rows before a failure of the source stay added', () =>
    onEmpty(open, async ({ iam }) => {
      await done(iam.projects.add(portal, context))
      const cause = new Error('the file is torn')
      async function* torn() {
        yield* rows(1_200)
        throw cause
      }
      const imported = iam.projectRoles.import({ projectId, roles: torn() }, context)
      expect(await refused(imported)).toEqual({ kind: 'SourceFailed', index: 1_200, cause })
      const { totalSize } = await done(iam.projectRoles.list({ projectId }, context))
      expect(totalSize).toBe(1_200)
    }))

  test('an aborted import keeps added roles and closes its source', () =>
    onEmpty(open, async ({ iam }) => {
      await done(iam.projects.add(portal, context))
      const controller = new AbortController()
      let isClosed = false
      async function* source() {
        try {
          yield* rows(5_000)
        } finally {
          isClosed = true
        }
      }
      const onProgress = () => controller.abort()
      const imported = iam.projectRoles.import(
        { projectId, roles: source() },
        { ...context, signal: controller.signal, onProgress },
      )
      expect(await refused(imported)).toEqual({ kind: 'Cancelled' })
      expect(isClosed).toBe(true)
      const { totalSize } = await done(iam.projectRoles.list({ projectId }, context))
      expect(totalSize).toBe(1_000)
    }))

  test('an abort ends an import whose source is slow, and closes it', () =>
    onEmpty(open, async ({ iam }) => {
      await done(iam.projects.add(portal, context))
      const controller = new AbortController()
      let read = 0
      const closed = Promise.withResolvers<void>()
      async function* slow() {
        try {
          for (; read < 10; read++) {
            // Timers go on meanwhile, as they do while a file is read.
            await new Promise(setImmediate)
            if (read === 3) controller.abort()
            yield row(read)
          }
        } finally {
          closed.resolve()
        }
      }
      const { signal } = controller
      const imported = iam.projectRoles.import({ projectId, roles: slow() }, { ...context, signal })
      expect(await refused(imported)).toEqual({ kind: 'Cancelled' })
      await closed.promise
      expect(read).toBe(3)
    }))

  test('an abort ends an import whose source does not answer, and closes it once', () =>
    onEmpty(open, async ({ iam }) => {
      await done(iam.projects.add(portal, context))
      const controller = new AbortController()
      const roles = watched(async (index) => {
        if (index < 1_002) return { value: row(index) }
        setImmediate(() => controller.abort())
        return new Promise(() => undefined)
      })
      // Nor does it answer when it is closed, like a generator that waits.
      roles.close = () => new Promise(() => undefined)
      const { signal } = controller
      const imported = iam.projectRoles.import({ projectId, roles }, { ...context, signal })
      expect(await refused(imported)).toEqual({ kind: 'Cancelled' })
      expect(roles.closed).toBe(1)
      const { totalSize } = await done(iam.projectRoles.list({ projectId }, context))
      expect(totalSize).toBe(1_000)
    }))

  test('a source that cannot be closed does not hide that the import was aborted', () =>
    onEmpty(open, async ({ iam }) => {
      await done(iam.projects.add(portal, context))
      const controller = new AbortController()
      const roles = watched(async () => {
        controller.abort()
        return new Promise(() => undefined)
      })
      roles.close = () => Promise.reject(new Error('it is stuck'))
      const { signal } = controller
      const imported = iam.projectRoles.import({ projectId, roles }, { ...context, signal })
      expect(await refused(imported)).toEqual({ kind: 'Cancelled' })
      expect(roles.closed).toBe(1)
    }))

  test('a source that ended or failed is not closed, with and without a signal', () =>
    onEmpty(open, async ({ iam }) => {
      await done(iam.projects.add(portal, context))
      const cause = new Error('the file is torn')
      for (const signal of [undefined, new AbortController().signal]) {
        const over = watched(async (index) => (index < 3 ? { value: row(index) } : OVER))
        const within = { ...context, signal }
        await done(iam.projectRoles.import({ projectId, roles: over }, within))
        const torn = watched(async (index) => {
          if (index === 2) throw cause
          return { value: row(index) }
        })
        const failed = await refused(iam.projectRoles.import({ projectId, roles: torn }, within))
        expect(failed).toEqual({ kind: 'SourceFailed', index: 2, cause })
        expect([over.closed, torn.closed]).toEqual([0, 0])
      }
    }))

  test('an import that is refused midway closes its source, and waits for that', () =>
    onEmpty(open, async ({ iam }) => {
      for (const signal of [undefined, new AbortController().signal]) {
        const id = signal ? 'with-signal' : 'without'
        await done(iam.projects.add({ ...portal, id }, context))
        const roles = watched(async (index) => {
          if (index === 1_000) await done(iam.projects.remove({ id }, context))
          return { value: row(index) }
        })
        let isClosed = false
        roles.close = async () => {
          await new Promise(setImmediate)
          isClosed = true
          return OVER
        }
        const imported = iam.projectRoles.import({ projectId: id, roles }, { ...context, signal })
        expect(await refused(imported)).toMatchObject({ kind: 'NotFound' })
        expect([roles.closed, isClosed]).toEqual([1, true])
      }
    }))

  test('the source is not read when the project does not exist', () =>
    onEmpty(open, async ({ iam }) => {
      let isRead = false
      async function* source() {
        isRead = true
        yield row(0)
      }
      const imported = iam.projectRoles.import({ projectId, roles: source() }, context)
      const object = { type: 'project', id: projectId }
      expect(await refused(imported)).toEqual({ kind: 'NotFound', object })
      expect(isRead).toBe(false)
    }))

  test('other writers of the same roles cause no error', () =>
    onEmpty(open, async (world) => {
      await done(world.iam.projects.add(portal, context))
      const other = instanceOn(world.plain)
      world.meanwhile = async () => {
        world.meanwhile = undefined
        await done(other.projectRoles.add({ projectId, ...row(1) }, context))
      }
      const report = await done(
        world.iam.projectRoles.import({ projectId, roles: rows(3) }, context),
      )
      expect(report).toMatchObject({ added: 2, unchanged: 1, refusedCount: 0 })
    }))

  test('a caller without permission and a malformed list are refused', () =>
    onEmpty(open, async ({ iam }) => {
      const input = { projectId, roles: rows(1) }
      for (const permission of ['project.role.read', 'project.role.write'] as const)
        expect(await refused(iam.projectRoles.import(input, without(permission)))).toMatchObject({
          kind: 'PermissionDenied',
          permission,
        })
      for (const json of ['"r0"', 'null', '{}']) {
        const roles: ReturnType<typeof rows> = JSON.parse(json)
        expect(await refused(iam.projectRoles.import({ projectId, roles }, context))).toEqual({
          kind: 'InvalidArgument',
          violations: [{ field: 'roles', description: 'must be a list or another iterable' }],
        })
      }
    }))
}
