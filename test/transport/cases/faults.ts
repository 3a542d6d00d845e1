import { err } from 'neverthrow'
import { addProject, updateProject } from '../calls/projects.js'
import { settings, TRACE_ID, traceparent } from '../samples.js'
import type { Case } from './case.js'

const now = performance.now.bind(performance)
let skipped = 0

/** Puts the clock forward, so that no test waits for the library to give up. */
const skipTenSeconds = (): void => {
  skipped += 10_000
  performance.now = () => now() + skipped
}

/** What goes wrong behind the library, or within it. */
export const faults: readonly Case[] = [
  {
    name: 'others keep changing the object',
    calls: [addProject(settings)],
    httpStatus: 409,
    store: (store) => ({
      ...store,
      append: async ({ writes }) => {
        skipTenSeconds()
        return err({ kind: 'VersionConflict', stream: writes[0]?.stream ?? 'project-' })
      },
    }),
  },
  {
    name: 'the store is out of order',
    calls: [updateProject('portal', settings)],
    httpStatus: 503,
    store: (store) => ({
      ...store,
      readStream: async () => {
        throw new Error('SELECT secret FROM tables: connection lost')
      },
    }),
  },
  {
    name: 'the store is out of order and says for how long',
    calls: [updateProject('portal', settings)],
    httpStatus: 503,
    store: (store) => ({
      ...store,
      readStream: async () => {
        throw Object.assign(new Error('SELECT secret FROM tables'), { retryAfter: 1_500 })
      },
    }),
  },
  {
    name: 'the log holds an event of a newer version',
    calls: [updateProject('portal', settings)],
    httpStatus: 500,
    store: (store) => ({
      ...store,
      readStream: async (...asked) => {
        const events = await store.readStream(...asked)
        return events.map((event) => ({ ...event, type: 'project.archived' }))
      },
    }),
  },
  {
    name: 'the library is at fault',
    calls: [updateProject('portal', settings, { headers: { traceparent } })],
    httpStatus: 500,
    throws: {
      iam: (iam) => ({
        ...iam,
        projects: {
          ...iam.projects,
          update: () => {
            throw new Error('SELECT secret FROM tables: column not found')
          },
        },
      }),
      answer: {
        error: {
          code: 13,
          message: 'An unexpected error. Tell the operator its correlation id',
          details: [
            {
              '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
              reason: 'UNEXPECTED',
              domain: 'claviger',
              metadata: { correlationId: TRACE_ID },
            },
          ],
        },
        isDeprecated: false,
      },
    },
  },
]
