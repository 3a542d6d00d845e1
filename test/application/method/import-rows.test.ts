import { ok } from 'neverthrow'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { importRows } from '../../../src/application/import-rows.js'
import { systemEnvironment } from '../../../src/ports/environment.js'

const Row = z.string({ error: 'must be text' })

const importing = (results: readonly 'added'[]) =>
  importRows(
    ['a', 5, 'b'],
    { schema: Row, importBatch: async () => ok(results), onProgress: undefined },
    { environment: systemEnvironment, signal: undefined },
  )

describe('An import', () => {
  it('reports the result of each row, malformed ones in between', async () => {
    expect((await importing(['added', 'added']))._unsafeUnwrap()).toMatchObject({
      done: 3,
      added: 2,
      refused: [{ index: 1, error: { kind: 'InvalidArgument' } }],
    })
  })

  it('throws when a row has no result, instead of reporting that it was unchanged', async () => {
    await expect(importing(['added'])).rejects.toThrow('An import has no result for a row')
  })
})
