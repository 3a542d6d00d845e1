import { err, ok, type Result } from 'neverthrow'
import type { IamError } from '../../index.js'
import { type Cursor, readCursor, writeCursor } from '../cursor.js'
import type { Setup } from '../options.js'
import { listedIds, objectionToInput, type RedeliverInput, unknownEndpoint } from './input.js'
import { type EndpointStatus, statusOf } from './status.js'

/** Writes that are tried when the endpoint moves meanwhile. */
const MAX_ATTEMPTS = 20

/** @see Webhooks.redeliver */
export const redeliver = async (
  setup: Setup,
  input: RedeliverInput,
): Promise<Result<EndpointStatus, IamError>> => {
  const objection = objectionToInput(input, { fields: ['endpoint', 'after'], required: true })
  if (objection) return err(objection)
  const { endpoint, after } = input
  const { cursors } = setup.options
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const stored = await cursors.read(endpoint)
    const known = readCursor(stored)
    const isListed = known !== undefined || (await listedIds(setup)).includes(endpoint)
    const cursor = after === undefined ? known && resumed(known) : { position: after, held: [] }
    if (!isListed || cursor === undefined) return err(unknownEndpoint)
    const { version } = stored
    if (await cursors.write(endpoint, { state: writeCursor(cursor), version }))
      return ok(await statusOf(setup, endpoint))
  }
  return err({ kind: 'Aborted', attempts: MAX_ATTEMPTS })
}

/** The same place, where every message is due at once and has three days again. */
const resumed = ({ position, held }: Cursor): Cursor => ({
  position,
  held: held.map(({ orgId, taken }) => ({ orgId, taken })),
})
