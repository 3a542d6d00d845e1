import { decodeTime, isValid } from 'ulid'
import { describe, expect, it } from 'vitest'
import { aesGcmCipher, createIam, memoryEventStore } from '../../../src/index.js'
import { context, good } from '../host.js'

/** Ids of projects that are added one after the other. */
const draw = async (count: number, newId?: () => string): Promise<readonly string[]> => {
  const iam = createIam({
    store: memoryEventStore(),
    secrets: aesGcmCipher({ current: 'a', keys: { a: new Uint8Array(32) } }),
    authorize: () => true,
    ...(newId && { newId }),
  })
  const ids: string[] = []
  for (let n = 0; n < count; n++)
    ids.push((await good(iam.projects.add({ name: 'Portal' }, context))).projectId)
  return ids
}

describe('The ids that the library draws', () => {
  it('are ULIDs of now, and rise within the process', async () => {
    const begin = Date.now()
    const ids = await draw(500)
    for (const id of ids) {
      expect(isValid(id)).toBe(true)
      expect(decodeTime(id)).toBeGreaterThanOrEqual(begin)
    }
    expect(ids.toSorted()).toEqual(ids)
    expect(new Set(ids).size).toBe(500)
  })
})

describe('The ids that a host draws', () => {
  it('are taken as they are', async () => {
    let next = 0
    // An id for each project and for each append.
    expect(await draw(2, () => `id-${next++}`)).toEqual(['id-0', 'id-2'])
  })

  it.each(['', 'a b', 'a+b', 'x'.repeat(65)])(
    'are refused when they are none: "%s"',
    async (id) => {
      await expect(draw(1, () => id)).rejects.toThrow(TypeError)
    },
  )
})
