import { readAccess } from 'claviger'
import { expect, it } from 'vitest'
import { explain } from '../../src/cli/command.js'

it.each([[], null, 'text', 1])(
  'A desired state that is %j is refused by a whole sentence',
  (input) => {
    expect(readAccess(input).mapErr(explain)._unsafeUnwrapErr()).toBe('The input must be an object')
  },
)
