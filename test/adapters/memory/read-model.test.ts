import { describe, test } from 'vitest'
import { memoryReadModel } from '../../../src/adapters/memory/read-model.js'
import { readModelLaws } from '../../../src/laws/index.js'

describe('A read model in memory', () => {
  let opened = memoryReadModel()
  const home = {
    open: () => {
      opened = memoryReadModel()
      return opened
    },
    reopen: () => opened,
  }

  test.each(readModelLaws)('$name', ({ check }) => check(home))
})
