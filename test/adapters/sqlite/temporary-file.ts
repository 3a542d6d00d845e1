import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runFolder } from '../../run-folder.js'

const folder = mkdtempSync(join(runFolder() ?? tmpdir(), 'sqlite-'))
let count = 0

/** A path where nothing is yet; what is put there is gone after the run of the tests. */
export const temporaryFile = (): string => join(folder, `${++count}.db`)
