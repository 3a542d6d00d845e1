import type { Position } from '../../ports/event-store.js'
import type { Projection } from '../../ports/projection.js'
import { fromPort } from '../errors/fault.js'

/**
 * The position that `projection` has reached.
 *
 * @throws Fault also when what it answers is no position: it would pass for one that is up to date
 */
export const checkpointOf = (projection: Pick<Projection, 'checkpoint'>): Promise<Position> =>
  fromPort(async () => {
    const position: unknown = await projection.checkpoint()
    if (typeof position !== 'bigint') throw new TypeError('A checkpoint must be a bigint')
    return position
  })
