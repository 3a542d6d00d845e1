import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'claviger-'))
let count = 0

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A path where nothing is yet; what is put there is gone after the tests of the file. */
export const temporaryFile = (): string => join(folder, `${++count}.db`)
